import { describe, expect, test } from 'bun:test';
import { AppError, type ErrorCode } from '../../lib/errors.ts';
import { openPlace, openSqlite } from '../autonomous/autonomous.fixture.ts';
import { bigRequest, planOf, type Script, type Stage, scriptedModels, stage } from '../scripted.fixture.ts';
import { savePreferences } from '../store/preferences.ts';

const hard = 'Prove the theorem rigorously, from scratch.';
const facts = JSON.stringify({ facts: [] });

const withStage = async <T>(script: Script, act: (s: Stage) => Promise<T>, rest = {}): Promise<T> => {
  const s = await stage(script, rest);
  try {
    return await act(s);
  } finally {
    await s.close();
  }
};

const outages: ErrorCode[] = ['provider_error', 'timeout', 'capacity_exhausted', 'no_available_provider'];

test.each(outages)('%s: the next best model answers, and the answer reports it', (code) =>
  withStage(
    ({ model }) => (model === 'v/big' ? new AppError(code, 'down') : 'the answer'),
    async (s) => {
      const { meta, message } = await s.ask(hard);
      expect(message.content).toBe('the answer');
      expect(s.calls.map(({ model }) => model)).toEqual(['v/big', 'v/mid']);
      expect(s.calls[1]!.insteadOf).toBe('v/big');
      expect(meta.failovers).toEqual([{ from: 'v/big', to: 'v/mid', why: code }]);
    },
  ),
);

test('a model skipped for its open circuits is reported too', () =>
  withStage(
    () => 'the answer',
    async (s) => {
      const { meta } = await s.ask(hard);
      expect(meta.failovers).toEqual([{ from: 'v/big', to: 'v/mid', why: 'circuit_open' }]);
    },
    { models: () => scriptedModels.map((one) => (one.id === 'v/big' ? { ...one, circuit: 'open' as const } : one)) },
  ));

test('content errors and forced models do not fail over', () =>
  withStage(
    () => new AppError('invalid_value', 'a picture that is none'),
    async (s) => {
      await expect(s.ask(hard)).rejects.toMatchObject({ code: 'invalid_value' });
      expect(s.calls).toHaveLength(1);
    },
  ).then(() =>
    withStage(
      () => new AppError('timeout', 'down'),
      async (s) => {
        await expect(s.ask(hard, { force_model: 'v/big' })).rejects.toMatchObject({ code: 'timeout' });
        expect(new Set(s.calls.map(({ model }) => model))).toEqual(new Set(['v/big']));
      },
    ),
  ));

/** Which model each kind of call asks first, and which one then. */
const helpers: [purpose: string, first: string, next: string][] = [
  ['plan', 'v/mid', 'v/big'],
  ['synthesis', 'v/small', 'v/mid'],
  ['summary', 'v/small', 'v/mid'],
  ['extraction', 'v/small', 'v/mid'],
];

describe.each(helpers)('%s', (purpose, first, next) => {
  test('fails over if its model is down', () =>
    withStage(
      ({ model }, what) => {
        if (what === purpose && model === first) return new AppError('provider_error', 'down');
        if (what === 'plan') return planOf({ id: 'a' }, { id: 'b' });
        return what === 'extraction' ? facts : what === 'synthesis' ? 'together' : `some ${what}`;
      },
      async (s) => {
        await savePreferences(s.deps.db, 1, { summarize_threshold: 2 }, 0);
        await s.ask('Hello there, my friend', { session_id: 's' });
        const { message, meta } = await s.ask(bigRequest, { session_id: 's', extract_knowledge: true });
        await s.settled();
        const asked = s.calls.filter((call) => call.purpose === purpose).map(({ model }) => model);
        expect(asked).toEqual([first, next]);
        expect(message.content).toBe('together');
        if (purpose === 'plan' || purpose === 'synthesis')
          expect(meta.failovers).toEqual([{ from: first, to: next, why: 'provider_error' }]);
      },
    ));
});

test('a run reports replaced models, for tasks and for judging', async () => {
  const database = await openSqlite();
  const place = await openPlace(database, ({ purpose, model }) => {
    if (purpose === 'task' || purpose === 'direct') return model === 'v/big' ? down : 'the answer';
    if (model === 'v/mid') return down;
    return purpose === 'evaluate' ? '{"score": 0.9, "feedback": ""}' : '{"confidence": 0.95, "missing": []}';
  });
  const run = { message: hard, session_id: 's', stream_events: false, config: { max_iterations: 1 } };
  const { body } = await place.call('POST', '/execute', run);
  expect(body).toMatchObject({ status: 'completed', result: 'the answer' });
  const events = await place.events('s');
  const told = events.filter(({ event }) => event === 'model_failover').map(({ data }) => data);
  expect(told).toMatchObject([
    { task_id: 't1', from: 'v/big', to: 'v/mid', why: 'provider_error' },
    { from: 'v/mid', to: 'v/big' },
    { from: 'v/mid', to: 'v/big' },
  ]);
  await place.close();
  await database.close();
});

const down = new AppError('provider_error', 'down');
