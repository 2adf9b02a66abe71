/** A vendor that refuses a request (400, its filter) will refuse it again: a run that waited would wait for ever. */
import { afterEach, expect, test } from 'bun:test';
import { AppError } from '../../lib/errors.ts';
import type { OpenDb } from '../../platform/db/open.ts';
import {
  bigGoal,
  goodScript,
  judged,
  openPlace,
  openSqlite,
  type Place,
  type Purpose,
  planOf,
  type Script,
} from './autonomous.fixture.ts';

let database: OpenDb;
let place: Place;
afterEach(async () => {
  await place.close();
  await database.close();
});

const refusal = new AppError('upstream_refused', 'The prompt was rejected by our policy.');
const outage = new AppError('provider_error', 'No provider returned an answer.');

/** Two ends, so that the result is a synthesis; the judge finds something missing at first, so that the plan is revised. */
const wholeStory = (fails: Purpose, error: (model: string) => AppError): Script => {
  let judgements = 0;
  return (asked) => {
    if (asked.purpose === fails) return error(asked.model);
    if (asked.purpose === 'plan') return planOf({ id: 'a' }, { id: 'b' });
    if (asked.purpose === 'revise') return planOf({ id: 'b' });
    if (asked.purpose !== 'judge') return goodScript(asked);
    judgements += 1;
    return judgements === 1 ? judged(0.2, ['more']) : judged(0.95);
  };
};
const run = async (script: Script) => {
  database = await openSqlite();
  place = await openPlace(database, script);
  const { body } = await place.call('POST', '/execute', { message: bigGoal, session_id: 's1', stream_events: false });
  return body;
};

const purposes = ['plan', 'evaluate', 'judge', 'revise', 'synthesis'] as const;

test.each(purposes)('a run whose %s every model refuses goes on without it', async (purpose) => {
  const ended = await run(wholeStory(purpose, () => refusal));
  expect([ended.status, ended.error]).toEqual(['completed', null]);
  expect(ended.result).toContain('result of');
  const asked = place.asked.filter((one) => one.purpose === purpose);
  expect(new Set(asked.map(({ model }) => model)).size).toBeGreaterThan(1);
});

test.each(['plan', 'evaluate', 'judge', 'synthesis'] as const)(
  'a run whose %s one model refuses, and others cannot answer now, waits for those',
  async (purpose) => {
    let first: string | undefined;
    const ended = await run(
      wholeStory(purpose, (model) => {
        first ??= model;
        return model === first ? refusal : outage;
      }),
    );
    expect([ended.status, ended.reason]).toEqual(['paused', 'provider_unavailable']);
  },
);

test('a run whose every task is refused says what the vendor said, and does not wait for a provider', async () => {
  const ended = await run(wholeStory('task', () => refusal));
  expect([ended.status, ended.reason]).toEqual(['paused', 'stalled']);
  const told = await place.events('s1');
  const failed = told.filter(({ event }) => event === 'task_failed').map(({ data }) => data.error);
  expect(new Set(failed)).toEqual(new Set([refusal.message]));
});
