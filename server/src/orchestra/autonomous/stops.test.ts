import { afterEach, describe, expect, test } from 'bun:test';
import { type Clock, manualClock, systemClock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { until } from '../../lib/until.fixture.ts';
import type { OpenDb } from '../../platform/db/open.ts';
import {
  bigGoal,
  engines,
  goodScript,
  judged,
  never,
  openPlace,
  type Place,
  planOf,
  type Script,
  score,
  type Told,
  taskOf,
} from './autonomous.fixture.ts';

const of = (told: Told[], event: string): Told['data'][] => told.filter((e) => e.event === event).map((e) => e.data);
const question = 'What is the capital of France?';

describe.each(await engines())('on %s', (_name, open) => {
  let database: OpenDb;
  let place: Place;
  const begin = async (script: Script, clock: Clock = systemClock) => {
    database = await open();
    place = await openPlace(database, script, { deps: { clock } });
  };
  afterEach(async () => {
    await place.close();
    await database.close();
  });

  const status = async (session = 's1') => (await place.call('GET', `/${session}/status`)).body;
  const lastCheckpoint = async (): Promise<string> =>
    (await place.call('GET', '/s1/checkpoints')).body.data.checkpoints.at(-1).checkpoint_id;
  const resume = async (overrides = {}, checkpoint_id?: string) =>
    place.call('POST', '/resume', {
      session_id: 's1',
      checkpoint_id: checkpoint_id ?? (await lastCheckpoint()),
      config_overrides: overrides,
    });
  /** Runs to its end, which must be a pause for this reason, told as the last event and by the status. */
  const expectPause = async (reason: string) => {
    const told = await place.events('s1');
    const last = told.at(-1)!;
    expect([last.event, last.data.reason, last.data.status]).toEqual(['execution_paused', reason, 'paused']);
    expect(last.data.checkpoint_id).toBe(await lastCheckpoint());
    expect(told.at(-2)!.event).toBe('checkpoint_created');
    expect(await status()).toMatchObject({ status: 'paused', reason });
    return told;
  };

  test('a user who loses access receives no more events of a running run', async () => {
    let out = false;
    database = await open();
    place = await openPlace(database, never, {
      recheckCaller: () => {
        if (out) throw new AppError('invalid_api_key', 'gone');
      },
    });
    await place.execute(bigGoal, {}, { session_id: 's1' });
    const told = place.events('s1');
    await until('a model is asked, which takes its time', () => place.asked.length === 1);
    out = true;
    await told;
    expect(await status()).toMatchObject({ status: 'running' });
  });

  test('pauses when its iterations are used up, and resumes with more', async () => {
    let verdict = 0.1;
    await begin((asked) => {
      if (asked.purpose === 'evaluate') return score(0.9);
      if (asked.purpose === 'judge') {
        verdict += 0.15;
        return judged(verdict, ['more']);
      }
      return 'an answer';
    });
    await place.execute(question, { max_iterations: 2 }, { session_id: 's1' });
    await expectPause('max_iterations');
    expect((await status()).current_iteration).toBe(2);
    const { status: code, body } = await resume({ max_iterations: 5 });
    expect([code, body.status]).toEqual([200, 'running']);
    const told = await place.events('s1');
    expect(of(told, 'execution_started')[1].resumed_from).toStartWith('ckpt-');
    expect(told.map(({ id }) => id)).toEqual(told.map((_, i) => i + 1));
    expect(told.at(-1)!.event).toBe('execution_completed');
    expect(await status()).toMatchObject({ status: 'completed', current_iteration: 5, config: { max_iterations: 5 } });
  });

  test('pauses when its time is up, during a call', async () => {
    const clock = manualClock(Date.now());
    await begin((asked) => (asked.purpose === 'direct' ? never() : score(0.9)), clock);
    await place.execute(question, { max_time_secs: 60 }, { session_id: 's1' });
    await until('the model is asked', () => place.asked.length > 0);
    clock.advance(60_000);
    await expectPause('max_time');
    expect(place.asked[0]!.signal.aborted).toBe(true);
    place.script = goodScript;
    expect((await resume()).status).toBe(200);
    expect((await place.events('s1')).at(-1)!.event).toBe('execution_completed');
  });

  test('pauses when its money is used up', async () => {
    const broke = new AppError('insufficient_user_quota', 'Your balance does not cover this request.');
    await begin(() => broke);
    await place.execute(bigGoal, {}, { session_id: 's1' });
    const told = await expectPause('insufficient_quota');
    expect(told[0]!.event).toBe('execution_started');
    place.script = goodScript;
    await resume();
    const all = await place.events('s1');
    expect(all.at(-1)!.event).toBe('execution_completed');
    expect(of(all, 'execution_started')[1].plan.tasks).toHaveLength(3);
  });

  test('pauses when no provider responds, for a task and for the planner', async () => {
    const down = new AppError('no_available_provider', 'No provider is available.');
    await begin(() => down);
    await place.execute(question, {}, { session_id: 's1' });
    const told = await expectPause('provider_unavailable');
    expect(of(told, 'task_failed').map(({ will_retry }) => will_retry)).toEqual([true, true, false]);
    expect(new Set(of(told, 'task_started').map(({ model }) => model)).size).toBe(3);
    place.script = goodScript;
    await resume();
    expect((await place.events('s1')).at(-1)!.event).toBe('execution_completed');
    place.script = () => down;
    await place.execute(bigGoal, {}, { session_id: 's1' });
    await expectPause('provider_unavailable');
  });

  test('pauses when confidence does not change', async () => {
    await begin((asked) => {
      if (asked.purpose === 'evaluate') return score(0.5);
      if (asked.purpose === 'judge') return judged(0.5, ['something']);
      if (asked.purpose === 'revise') return 'no idea';
      return 'an answer';
    });
    await place.execute(question, {}, { session_id: 's1' });
    const told = await expectPause('stalled');
    expect(of(told, 'progress_update')).toHaveLength(3);
    expect(of(told, 'plan_updated').map(({ revision }) => revision)).toEqual([2, 3]);
    // Ended for good by whoever does not want it any more, at the checkpoint that it has.
    const { body } = await place.call('POST', '/cancel', { session_id: 's1' });
    expect(body.data).toMatchObject({ status: 'cancelled', reason: null, checkpoint_id: await lastCheckpoint() });
    const last = (await place.events('s1')).at(-1)!;
    expect([last.event, last.data.reason, last.data.status]).toEqual(['execution_paused', 'cancelled', 'cancelled']);
    expect(await status()).toMatchObject({ status: 'cancelled', partial_result: expect.any(String) });
  });

  test('fails on an internal error, and can be resumed', async () => {
    let broken = true;
    await begin((asked) => {
      if (broken && asked.purpose === 'judge') return new TypeError('x is not a function');
      return goodScript(asked);
    });
    await place.execute(bigGoal, {}, { session_id: 's1' });
    const told = await place.events('s1');
    expect(told.at(-1)!.event).toBe('error');
    const { message, recoverable, checkpoint_id } = told.at(-1)!.data;
    expect([message, recoverable, checkpoint_id]).toEqual(['Internal error', true, await lastCheckpoint()]);
    expect(await status()).toMatchObject({ status: 'failed', error: 'Internal error' });
    expect(place.warnings).toContain('a run failed');
    broken = false;
    const before = place.asked.filter(({ purpose }) => purpose === 'task').length;
    expect((await resume()).status).toBe(200);
    expect((await place.events('s1')).at(-1)!.event).toBe('execution_completed');
    expect(place.asked.filter(({ purpose }) => purpose === 'task')).toHaveLength(before);
  });

  test('can be cancelled during a model call, and resumed', async () => {
    let hang = true;
    await begin((asked) => (hang && taskOf(asked) === 'b' ? never() : goodScript(asked)));
    await place.execute(bigGoal, {}, { session_id: 's1' });
    await until('b hangs and a is judged', async () => {
      const { plan } = await status();
      return plan.tasks[0]?.score === 0.9 && place.asked.some((asked) => taskOf(asked) === 'b');
    });
    expect((await place.call('POST', '/execute', { message: 'x', session_id: 's1' })).status).toBe(409);
    expect((await resume({}, 'ckpt-unknown')).status).toBe(404);
    const running = place.asked.find((asked) => taskOf(asked) === 'b')!;
    const cancelled = await place.call('POST', '/cancel', { session_id: 's1', reason: 'enough' });
    expect(cancelled.status).toBe(200);
    expect(cancelled.body).toMatchObject({
      success: true,
      data: { session_id: 's1', status: 'cancelled', reason: 'enough' },
    });
    const { checkpoint_id } = cancelled.body.data;
    expect(checkpoint_id).toStartWith('ckpt-');
    await until('the call is broken off', () => running.signal.aborted);
    const again = await place.call('POST', '/cancel', { session_id: 's1' });
    expect(again.body).toEqual(cancelled.body);
    const told = await place.events('s1');
    expect([told.at(-1)!.event, told.at(-1)!.data.reason, told.at(-1)!.data.status]).toEqual([
      'execution_paused',
      'cancelled',
      'cancelled',
    ]);
    hang = false;
    expect((await resume({}, checkpoint_id)).status).toBe(200);
    const all = await place.events('s1');
    expect(all.at(-1)!.event).toBe('execution_completed');
    expect(place.asked.filter((asked) => taskOf(asked) === 'a')).toHaveLength(1);
    expect((await resume({}, checkpoint_id)).status).toBe(409);
    const after = await place.call('POST', '/cancel', { session_id: 's1' });
    expect(after.body.data.status).toBe('completed');
  });

  test('a resume with out-of-range overrides is rejected and changes nothing', async () => {
    await begin((asked) => (asked.purpose === 'judge' ? judged(0.1) : goodScript(asked)));
    await place.execute(question, { max_iterations: 1 }, { session_id: 's1' });
    await expectPause('max_iterations');
    const refused = await resume({ max_iterations: 1000 });
    expect(refused.status).toBe(400);
    expect(refused.body.message).toMatch(/max_iterations/);
    expect((await status()).status).toBe('paused');
    // A checkpoint of another session of the same user.
    await place.execute(question, { max_iterations: 1 }, { session_id: 's2', stream_events: false });
    const other = (await place.call('GET', '/s2/checkpoints')).body.data.checkpoints[0].checkpoint_id;
    expect((await resume({}, other)).status).toBe(404);
  });

  test('a resume from an earlier checkpoint returns to it', async () => {
    let verdict = 0;
    await begin((asked) => {
      if (asked.purpose === 'plan') return planOf({ id: 'a' }, { id: 'b' });
      if (asked.purpose === 'revise') return planOf({ id: `x${place.asked.length}` });
      if (asked.purpose === 'judge') {
        verdict += 0.1;
        return judged(verdict);
      }
      if (asked.purpose === 'evaluate') return score(0.9);
      return 'an answer';
    });
    await place.execute(bigGoal, { max_iterations: 3 }, { session_id: 's1' });
    await expectPause('max_iterations');
    const { checkpoints } = (await place.call('GET', '/s1/checkpoints')).body.data;
    expect(checkpoints.map(({ iteration }: { iteration: number }) => iteration)).toEqual([1, 2, 3, 3]);
    verdict = 0.85;
    await resume({}, checkpoints[0].checkpoint_id);
    const told = await place.events('s1');
    expect(told.at(-1)!.event).toBe('execution_completed');
    expect((await status()).current_iteration).toBe(2);
  });
});
