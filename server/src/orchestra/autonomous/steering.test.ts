import { afterEach, describe, expect, test } from 'bun:test';
import type { OpenDb } from '../../platform/db/open.ts';
import { textOf } from '../messages.ts';
import { recentMessages } from '../store/messages.ts';
import {
  bigGoal,
  engines,
  goodScript,
  judged,
  openPlace,
  type Place,
  planOf,
  type Script,
  taskOf,
} from './autonomous.fixture.ts';
import { bring, callingScript, heard, toolOf } from './run-tools.fixture.ts';

const wish = 'Write everything in rhymes.';

describe.each(await engines())('steering a run, on %s', (_name, open) => {
  let database: OpenDb;
  let place: Place;
  const begin = async (script: Script) => {
    database = await open();
    place = await openPlace(database, script);
  };
  afterEach(async () => {
    await place.close();
    await database.close();
  });
  const status = async () => (await place.call('GET', '/s1/status')).body;
  const start = (config = {}, more = {}) =>
    place.call('POST', '/execute', { message: bigGoal, session_id: 's1', stream_events: false, config, ...more });
  const resume = async (brought: object) =>
    place.call('POST', '/resume', {
      ...{ session_id: 's1', checkpoint_id: (await status()).checkpoint_id },
      ...{ stream_events: false, ...brought },
    });
  const calls = (task: string) => place.asked.filter((one) => taskOf(one) === task).length;

  test("instructions apply to everything after them, as the user's words", async () => {
    let confidence = 0.1;
    await begin((asked) => {
      if (asked.purpose === 'judge') return judged(confidence);
      if (asked.purpose === 'revise') return planOf({ id: 'd' }, { id: 'e' });
      return goodScript(asked);
    });
    expect((await start({ max_iterations: 1 })).body.reason).toBe('max_iterations');
    place.asked.length = 0;
    confidence = 0.9;
    expect((await resume({ instructions: wish })).body.status).toBe('completed');
    const kinds = new Set(place.asked.map(({ purpose }) => purpose));
    expect([...kinds].toSorted()).toEqual(['evaluate', 'judge', 'revise', 'synthesis', 'task']);
    for (const { text } of place.asked) {
      expect(text).toContain(wish);
      // Not inside a fence, in which nothing is to be followed.
      expect(text.replace(/<data[^>]*>[\s\S]*?<\/data[^>]*>/g, '')).toContain(wish);
    }
    const { id: session } = await database.db.selectFrom('ms_sessions').select('id').executeTakeFirstOrThrow();
    const said = (await recentMessages(database.db, session)).filter(({ message }) => message.role === 'user');
    expect(said.map(({ message }) => textOf(message))).toEqual([bigGoal, wish]);
    expect((await resume({ instructions: 'x'.repeat(20_001) })).status).toBe(400);
  });

  test('a conversation with tools receives instructions too', async () => {
    await begin(callingScript({ c: [['look_up', '{}']] }));
    const { body } = await start({}, { tools: [toolOf('look_up')] });
    const [{ id }] = body.pending_tool_calls;
    expect((await resume({ instructions: wish })).body).toMatchObject({ status: 'waiting_for_tools' });
    expect((await bring(place, { [id]: 'it' })).body.status).toBe('completed');
    const last = place.asked.findLast((one) => taskOf(one) === 'c')!;
    expect([heard(last), last.messages.at(-1)!.role]).toEqual([['it'], 'user']);
    expect(last.messages.at(-1)!.content).toContain(wish);
  });

  test('in a changed plan unchanged tasks keep their results, and changed ones run again with their dependents', async () => {
    await begin((asked) => {
      if (asked.purpose === 'plan')
        return planOf({ id: 'a' }, { id: 'b', needs: ['a'] }, { id: 'c' }, { id: 'd', needs: ['c'] }, { id: 'e' });
      return asked.purpose === 'judge' ? judged(calls('f') > 0 ? 0.9 : 0.1) : goodScript(asked);
    });
    expect((await start({ max_iterations: 1 })).body.status).toBe('paused');
    const { plan } = await status();
    expect(plan.tasks[0].instruction).toBe('do a');
    const changed = structuredClone(plan);
    changed.tasks[0].instruction = 'do a otherwise';
    changed.tasks = changed.tasks.filter(({ task_id }: { task_id: string }) => task_id !== 'e');
    changed.tasks.push({ id: 'f', title: 'Title f', instruction: 'do f', depends_on: ['d'], difficulty: 'easy' });
    expect((await resume({ plan: changed })).body.status).toBe('completed');
    expect(['a', 'b', 'c', 'd', 'e', 'f'].map(calls)).toEqual([2, 2, 1, 1, 1, 1]);
    const after = (await status()).plan;
    expect(after.tasks.map(({ task_id }: { task_id: string }) => task_id)).toEqual(['a', 'b', 'c', 'd', 'f']);
    expect(after.revision).toBe(plan.revision + 1);
    const updated = (await place.events('s1')).filter(({ event }) => event === 'plan_updated');
    expect(updated.map(({ data }) => data.reason)).toEqual(['changed by the user']);
  });

  test('an invalid plan is rejected with the faults, and nothing changes', async () => {
    await begin((asked) => (asked.purpose === 'judge' ? judged(0.1) : goodScript(asked)));
    await start({ max_iterations: 1 });
    const before = await status();
    const task = (id: string, depends_on: string[] = []) => ({ id, instruction: `do ${id}`, depends_on });
    const faults: [object[], string][] = [
      [[task('x', ['y']), task('y', ['x'])], 'in a cycle: x, y'],
      [[task('x', ['nowhere'])], '"nowhere", which does not exist'],
      [[task('x'), task('x')], 'two tasks have the id "x"'],
      [Array.from({ length: 3000 }, (_, i) => task(`t${i}`)), '3000 tasks, at most 50'],
      [[{ id: 'x' }], '"x" is new and has no instruction'],
      [[task('__proto__')], 'cannot be used as an id'],
      [[{ ...task('x'), dificulty: 'easy' }], 'dificulty'],
    ];
    for (const [plan, words] of faults) {
      const refused = await resume({ plan });
      expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining(words)]);
    }
    expect(await status()).toEqual(before);
  });
});
