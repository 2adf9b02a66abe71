import { afterEach, describe, expect, test } from 'bun:test';
import { manualClock } from '../../lib/clock.ts';
import type { HowToCall, HowToWait, ToolOutcome } from '../../lib/connected-tools.ts';
import { until } from '../../lib/until.fixture.ts';
import type { OpenDb } from '../../platform/db/open.ts';
import { beatMs, deadAfterMs } from '../../platform/durable/owners.ts';
import { toolLimitMs } from '../connected-tools.ts';
import type { Deps } from '../ports.ts';
import { bigGoal, engines, openPlace, type Place, taskOf } from './autonomous.fixture.ts';
import { callingScript, heard, scriptedTools } from './run-tools.fixture.ts';

/** A server that goes on with a call by itself, until the test ends it. */
function goingOn() {
  const ended = Promise.withResolvers<ToolOutcome>();
  /** `leftBefore`: of calls that took too long, whether their caller had left by then. */
  const seen = { waiting: [] as HowToWait[], followed: [] as string[], leftBefore: [] as boolean[], ended };
  const wait = (how: HowToWait): Promise<ToolOutcome> => {
    seen.waiting.push(how);
    const left = Promise.withResolvers<never>();
    how.signal.addEventListener('abort', () => left.reject(how.signal.reason));
    how.tooLong?.addEventListener('abort', () => seen.leftBefore.push(how.signal.aborted));
    return Promise.race([ended.promise, left.promise]);
  };
  const tools = {
    ...scriptedTools({ s__a: {} }),
    call: async (_caller: unknown, _name: string, _args: unknown, how: HowToCall) => {
      await how.goesOn?.('the task');
      return wait(how);
    },
    follow: async (_caller: unknown, _name: string, task: string, how: HowToWait) => {
      seen.followed.push(task);
      return wait(how);
    },
  };
  return { tools, seen };
}

describe.each(await engines())('calls that servers continue as tasks, on %s', (_name, open) => {
  let database: OpenDb;
  const places: Place[] = [];
  const begin = async (connectedTools: Deps['connectedTools'], deps: Partial<Deps> = {}, guardMs?: number) => {
    database = places.length === 0 ? await open() : database;
    const script = callingScript({ c: [['s__a', '{}']] });
    const place = await openPlace(database, script, { deps: { connectedTools, ...deps }, ...(guardMs && { guardMs }) });
    places.push(place);
    return place;
  };
  afterEach(async () => {
    for (const place of places.splice(0)) await place.close();
    await database.close();
  });
  const start = (place: Place) =>
    place.call('POST', '/execute', {
      ...{ message: bigGoal, session_id: 's1', stream_events: true },
      config: { connected_tools: true, max_time_secs: 86_400 },
    });
  const told = (place: Place): string | undefined => place.asked.filter((one) => taskOf(one) === 'c').flatMap(heard)[0];

  test('have a longer timeout than other calls, but a limited one', async () => {
    const clock = manualClock(Date.now());
    const { tools, seen } = goingOn();
    const place = await begin(tools, { clock });
    await start(place);
    await until('it goes on', () => seen.waiting.length === 1);
    clock.advance(2 * toolLimitMs);
    expect(seen.waiting[0]!.tooLong!.aborted).toBe(false);
    clock.advance(3_600_000);
    expect((await place.events('s1')).at(-1)!.event).toBe('execution_completed');
    expect(told(place)).toMatch(/did not respond within \d+ seconds/);
    // It was not the caller who left, which everybody does once the run is over: nothing is paid.
    expect(seen.leftBefore).toEqual([false]);
  });

  test('are awaited by the process that takes over the run, and counted once', async () => {
    const costOf = async (cost: number): Promise<number> => {
      const { tools, seen } = goingOn();
      const first = await begin(tools, {}, 1e8);
      await start(first);
      await until('it goes on', () => seen.waiting.length === 1);
      const second = await begin(tools);
      await second.beats(deadAfterMs + beatMs);
      await until('another waits', () => seen.waiting.length === 2);
      seen.ended.resolve({ text: 'done in the end', isError: false, cut: false, cost });
      expect((await second.events('s1')).at(-1)!.event).toBe('execution_completed');
      expect([told(second), seen.followed]).toEqual(['done in the end', ['the task']]);
      return (await second.call('GET', '/s1/status')).body.total_cost as number;
    };
    const free = await costOf(0);
    expect((await costOf(700)) - free).toBe(700);
  });

  test('are cancelled with the run, but not when it is handed over', async () => {
    for (const cancelled of [true, false]) {
      const { tools, seen } = goingOn();
      const place = await begin(tools, {}, 20);
      await start(place);
      await until('it goes on', () => seen.waiting.length === 1);
      if (cancelled) await place.call('POST', '/cancel', { session_id: 's1' });
      else await place.close();
      const [how] = seen.waiting;
      await until('the run is left', () => how!.signal.aborted);
      expect(how!.handedOver!()).toBe(!cancelled);
    }
  });
});
