import { afterEach, describe, expect, test } from 'bun:test';
import { keepAnswer } from '../../billing/store/kept-answers.ts';
import { quotaPerUsd } from '../../lib/money.ts';
import { until } from '../../lib/until.fixture.ts';
import type { OpenDb } from '../../platform/db/open.ts';
import { beatMs, deadAfterMs } from '../../platform/durable/owners.ts';
import { deleteSession } from '../store/sessions.ts';
import {
  type Asked,
  bigGoal,
  engines,
  goodScript,
  never,
  openPlace,
  type Place,
  taskOf,
} from './autonomous.fixture.ts';

const cent = quotaPerUsd / 100;
const silentMs = deadAfterMs + beatMs;

describe.each(await engines())('paid calls, on %s', (_name, open) => {
  let database: OpenDb;
  const places: Place[] = [];
  afterEach(async () => {
    for (const place of places.splice(0)) await place.close();
    await database.close();
  });

  /** Says what the script says, for a cent a call, and keeps it with the charge as the relay does. */
  const at = async (script: (asked: Asked) => string | Promise<string>, guardMs = 1e8): Promise<Place> => {
    const place = await openPlace(
      database,
      async (asked) => {
        const message = { role: 'assistant' as const, content: await script(asked) };
        const usage = { promptTokens: 10, completionTokens: 5 };
        const answer = { message, finishReason: 'stop', usage, cost: cent, model: asked.model, provider: 'p' };
        const row = { request_id: asked.requestId!, user_id: 1, created_at: 0, body: JSON.stringify(answer) };
        await keepAnswer(database.db, { ...asked.keepAs!, ...row });
        answered += 1;
        return answer;
      },
      { guardMs },
    );
    places.push(place);
    return place;
  };
  let answered = 0;
  const say = async (asked: Asked): Promise<string> => `${await goodScript(asked)}`;
  const kept = () => database.db.selectFrom('kept_answers').select('call').execute();

  test('are counted once, even if the state was written before their step', async () => {
    database = await open();
    await database.db.deleteFrom('kept_answers').execute();
    answered = 0;
    let evaluations = 0;
    const first = await at(async (asked) => {
      // So that the state is written, with its result, after a judgement was paid for.
      if (taskOf(asked) === 'b') await until('the second judgement is asked for', () => evaluations === 2);
      if (asked.purpose !== 'evaluate') return say(asked);
      evaluations += 1;
      // The first judgement cannot be read, and the next ones never come.
      return evaluations === 1 ? 'quite good' : never();
    });
    await first.execute(bigGoal, {}, { session_id: 's1' });
    const status = async (place: Place) => (await place.call('GET', '/s1/status')).body;
    await until('plan, two results and a judgement are counted', async () => {
      const { total_cost } = await status(first);
      return total_cost === 4 * cent;
    });
    expect((await kept()).map(({ call }) => call)).toEqual(['1.eval:a:1:1']);
    const second = await at(say);
    await second.beats(silentMs);
    expect((await second.events('s1')).at(-1)!.event).toBe('execution_completed');
    expect((await status(second)).total_cost).toBe(answered * cent);
    // Of the first result a second judgement is asked for, and not the first again.
    const judged = second.asked.filter(({ purpose }) => purpose === 'evaluate').map(({ keepAs }) => keepAs!.call);
    expect(judged.toSorted()).toEqual(['1.eval:a:1:2', '1.eval:b:1:1', '1.eval:c:1:1']);
    expect(await kept()).toEqual([]);
  });

  test('are reused by the process that takes over, at no cost, even if the limit is reached', async () => {
    database = await open();
    await database.db.deleteFrom('kept_answers').execute();
    answered = 0;
    const first = await at(async (asked) => {
      const said = await say(asked);
      // As if the process died between the charge and the journal: kept, and never told.
      if (asked.purpose !== 'plan') return said;
      const message = { role: 'assistant', content: said };
      const usage = { promptTokens: 10, completionTokens: 5 };
      const body = JSON.stringify({ message, finishReason: 'stop', usage, cost: cent, model: 'm', provider: 'p' });
      await keepAnswer(database.db, { ...asked.keepAs!, request_id: 'r', user_id: 1, created_at: 0, body });
      return never();
    });
    await first.execute(bigGoal, {}, { session_id: 's1', max_cost: 0.01 });
    await until('the plan is paid for', async () => (await kept()).length === 1);
    const second = await at(say);
    await second.beats(silentMs);
    const told = await second.events('s1');
    expect(told.at(-1)).toMatchObject({ event: 'execution_paused', data: { reason: 'max_cost' } });
    const { plan, total_cost } = (await second.call('GET', '/s1/status')).body;
    expect([plan.tasks.length, total_cost]).toEqual([3, cent]);
    expect(second.asked).toEqual([]);
    expect(await kept()).toEqual([]);
  });

  test('are deleted with a session that its process finds gone when it writes', async () => {
    database = await open();
    await database.db.deleteFrom('kept_answers').execute();
    const gone = Promise.withResolvers<void>();
    const place = await at(async (asked) => {
      await keepAnswer(database.db, { ...asked.keepAs!, request_id: 'r', user_id: 1, created_at: 0, body: '{}' });
      await gone.promise;
      return say(asked);
    });
    await place.execute(bigGoal, {}, { session_id: 's1' });
    await until('the plan is paid for', async () => (await kept()).length === 1);
    await deleteSession(database.db, 1, 's1');
    gone.resolve();
    await until('it is forgotten', async () => (await kept()).length === 0);
  });

  test('are deleted with a cancelled run or a deleted session', async () => {
    database = await open();
    await database.db.deleteFrom('kept_answers').execute();
    const place = await at(async (asked) => {
      const said = await say(asked);
      if (asked.purpose !== 'plan') return said;
      await keepAnswer(database.db, { ...asked.keepAs!, request_id: 'r', user_id: 1, created_at: 0, body: '{}' });
      return new Promise((_, reject) => asked.signal.addEventListener('abort', reject));
    }, 20);
    for (const [session, end] of [
      ['s1', () => place.call('POST', '/cancel', { session_id: 's1' })],
      ['s2', () => deleteSession(database.db, 1, 's2')],
    ] as const) {
      await place.execute(bigGoal, {}, { session_id: session });
      await until('the plan is paid for', async () => (await kept()).length === 1);
      await end();
      await until('it is forgotten', async () => (await kept()).length === 0);
    }
  });
});
