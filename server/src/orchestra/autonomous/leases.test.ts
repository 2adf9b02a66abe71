import { afterEach, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { until } from '../../lib/until.fixture.ts';
import type { OpenDb } from '../../platform/db/open.ts';
import { beatMs, deadAfterMs } from '../../platform/durable/owners.ts';
import { memoryShared } from '../../platform/shared/memory.ts';
import {
  bigGoal,
  engines,
  goodScript,
  never,
  openPlace,
  type Place,
  type Script,
  taskOf,
} from './autonomous.fixture.ts';
import { guardMs } from './runner.ts';
import { eventSeconds } from './store/reads.ts';

/** A process that has lost its mind: it does not look at its runs, and without `beats` it says nothing either. */
const deaf = { guardMs: 1e8 };
const silentMs = deadAfterMs + beatMs;

test("a dead process's run continues elsewhere within ten seconds, and a cancel takes effect within one", () => {
  expect(silentMs).toBeLessThan(10_000);
  expect(guardMs).toBeLessThan(1_000);
});

describe.each(await engines())('on %s', (_name, open) => {
  let database: OpenDb;
  const places: Place[] = [];
  const at = async (script: Script, options: Parameters<typeof openPlace>[2] = {}) => {
    const place = await openPlace(database, script, options);
    places.push(place);
    return place;
  };
  afterEach(async () => {
    for (const place of places.splice(0)) await place.close();
    await database.close();
  });
  const calls = (task: string): number =>
    places.flatMap(({ asked }) => asked).filter((asked) => taskOf(asked) === task).length;
  const rows = async (table: string): Promise<number> => {
    const { rows: found } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(
      database.db,
    );
    return Number(found[0]!.n);
  };

  test('a run is taken over when its process stops responding, which then can no longer write', async () => {
    database = await open();
    const wake = Promise.withResolvers<string>();
    const first = await at((asked) => (taskOf(asked) === 'b' ? wake.promise : goodScript(asked)), deaf);
    await first.execute(bigGoal, {}, { session_id: 's1' });
    await until('a is done', async () => (await first.call('GET', '/s1/status')).body.plan.tasks[0]?.score === 0.9);
    const second = await at(goodScript);
    await second.beats(deadAfterMs);
    expect(second.asked).toEqual([]);
    await second.beats(beatMs);
    const told = await second.events('s1');
    expect(told.at(-1)!.event).toBe('execution_completed');
    expect([calls('a'), calls('b'), calls('c')]).toEqual([1, 2, 1]);
    const before = [await rows('ms_run_events'), await rows('ms_run_steps'), await rows('ms_run_checkpoints')];
    wake.resolve('late result of b');
    await Bun.sleep(400);
    expect([await rows('ms_run_events'), await rows('ms_run_steps'), await rows('ms_run_checkpoints')]).toEqual(before);
    expect(told.map(({ id }) => id)).toEqual(told.map((_, i) => i + 1));
    expect((await second.call('GET', '/s1/status')).body.result).toBe('result of c');
  });

  test('only one of several processes takes over a run', async () => {
    database = await open();
    const first = await at((asked) => (asked.purpose === 'task' ? never() : goodScript(asked)), deaf);
    await first.execute(bigGoal, {}, { session_id: 's1' });
    await until('tasks began', () => first.asked.some(({ purpose }) => purpose === 'task'));
    const others: Place[] = [];
    for (let i = 0; i < 3; i += 1) others.push(await at(goodScript, { start: false, ...deaf }));
    for (let passed = 0; passed < silentMs; passed += beatMs) for (const other of others) await other.beats(beatMs);
    // Not started, so that they all look at the same moment.
    await Promise.all(others.map(({ autonomous }) => autonomous.adopt()));
    const told = await others[0]!.events('s1');
    expect(told.at(-1)!.event).toBe('execution_completed');
    expect(others.filter(({ asked }) => asked.length > 0)).toHaveLength(1);
  });

  test('a shutdown releases the run at once, and completed work is not repeated', async () => {
    database = await open();
    const first = await at((asked) => (taskOf(asked) === 'c' ? never() : goodScript(asked)));
    await first.execute(bigGoal, {}, { session_id: 's1' });
    await until('c began', () => calls('c') === 1);
    await first.autonomous.stop();
    expect(first.asked.find((asked) => taskOf(asked) === 'c')!.signal.aborted).toBe(true);
    const second = await at(goodScript);
    const told = await second.events('s1');
    expect(told.at(-1)!.event).toBe('execution_completed');
    expect([calls('a'), calls('b'), calls('c')]).toEqual([1, 1, 2]);
  });

  test('a cancel from another process ends calls by message, and both processes agree on the end', async () => {
    database = await open();
    const shared = memoryShared();
    const first = await at((asked) => (asked.purpose === 'task' ? never() : goodScript(asked)), {
      shared,
      ...deaf,
    });
    const second = await at(goodScript, { shared, start: false });
    await first.execute(bigGoal, {}, { session_id: 's1' });
    await until('tasks began', () => first.asked.some(({ purpose }) => purpose === 'task'));
    const reading = second.events('s1');
    expect((await second.call('POST', '/cancel', { session_id: 's1' })).body.data.status).toBe('cancelled');
    const working = first.asked.filter(({ purpose }) => purpose === 'task');
    await until('calls are broken off', () => working.every(({ signal }) => signal.aborted));
    expect((await reading).at(-1)!.data.reason).toBe('cancelled');
    expect((await first.call('GET', '/s1/status')).body.status).toBe('cancelled');
  });

  test('a cancel is noticed even without messages between processes', async () => {
    database = await open();
    const first = await at((asked) => (asked.purpose === 'task' ? never() : goodScript(asked)));
    const second = await at(goodScript, { start: false });
    await first.execute(bigGoal, {}, { session_id: 's1' });
    await until('tasks began', () => first.asked.some(({ purpose }) => purpose === 'task'));
    const reading = first.events('s1');
    await second.call('POST', '/cancel', { session_id: 's1' });
    const working = first.asked.filter(({ purpose }) => purpose === 'task');
    await until('calls are broken off', () => working.every(({ signal }) => signal.aborted));
    expect((await reading).at(-1)!.event).toBe('execution_paused');
  });

  test('deleting a session ends its run and its streams', async () => {
    database = await open();
    const place = await at((asked) => (asked.purpose === 'task' ? never() : goodScript(asked)));
    await place.execute(bigGoal, {}, { session_id: 's1' });
    await until('tasks began', () => place.asked.some(({ purpose }) => purpose === 'task'));
    const reading = place.events('s1');
    await database.db.deleteFrom('ms_sessions').execute();
    await until('calls are broken off', () => place.asked.at(-1)!.signal.aborted);
    await reading;
    for (const table of ['ms_runs', 'ms_run_steps', 'ms_run_checkpoints', 'ms_run_streams', 'ms_run_events'])
      expect([table, await rows(table)]).toEqual([table, 0]);
  });

  test('events are deleted after a week, and their numbering continues', async () => {
    database = await open();
    const place = await at(goodScript);
    await place.execute('Say hello', {}, { session_id: 's1', stream_events: false });
    const count = await rows('ms_run_events');
    await database.db
      .updateTable('ms_run_events')
      .set((eb) => ({ created_at: eb('created_at', '-', eventSeconds + 1) }))
      .execute();
    await place.autonomous.sweep();
    expect(await rows('ms_run_events')).toBe(0);
    await place.execute('Say hello', {}, { session_id: 's1', stream_events: false });
    expect((await place.events('s1', 0))[0]!.id).toBe(count + 1);
  });
});
