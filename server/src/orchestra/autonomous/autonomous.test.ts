import { afterEach, describe, expect, test } from 'bun:test';
import type { OpenDb } from '../../platform/db/open.ts';
import {
  bigGoal,
  engines,
  goodScript,
  judged,
  openPlace,
  type Place,
  planOf,
  type Script,
  score,
  type Told,
  taskOf,
} from './autonomous.fixture.ts';

const names = (told: Told[]): string[] => told.map(({ event }) => event);
const of = (told: Told[], event: string): Told['data'][] => told.filter((e) => e.event === event).map((e) => e.data);

describe.each(await engines())('on %s', (_name, open) => {
  let database: OpenDb;
  let place: Place;
  const begin = async (script: Script, options: Parameters<typeof openPlace>[2] = {}) => {
    database = await open();
    place = await openPlace(database, script, options);
    return place;
  };
  afterEach(async () => {
    await place.close();
    await database.close();
  });

  test('a run completes and emits all its events', async () => {
    await begin(goodScript);
    const started = await place.execute(bigGoal, {}, { session_id: 's1' });
    expect(started).toMatchObject({ session_id: 's1', status: 'running', result: null, error: null });
    expect(started.execution_id).toStartWith('exec-');
    const told = await place.events('s1');
    expect(told.map(({ id }) => id)).toEqual(told.map((_, i) => i + 1));
    for (const { event, data } of told) {
      expect(data).toMatchObject({ event_type: event, session_id: 's1', execution_id: started.execution_id });
      expect(data.timestamp).toBeNumber();
    }
    expect(names(told)[0]).toBe('execution_started');
    expect(names(told).at(-1)).toBe('execution_completed');
    const tokensTold = of(told, 'execution_completed')[0].tokens_used as number;
    const [first] = of(told, 'execution_started');
    expect(first).toMatchObject({ goal: bigGoal, config: { max_iterations: 10, confidence_threshold: 0.8 } });
    expect(first.plan).toMatchObject({ description: 'The plan' });
    expect(first.plan.tasks[2]).toEqual({
      task_id: 'c',
      title: 'Title c',
      difficulty: 'easy',
      depends_on: ['a', 'b'],
    });
    expect(first.resumed_from).toBeUndefined();
    expect(of(told, 'task_started').find(({ task_id }) => task_id === 'a')).toMatchObject({
      title: 'Title a',
      model: 'v/small',
      difficulty: 'easy',
      attempt: 1,
    });
    expect(of(told, 'task_content_chunk').find(({ task_id }) => task_id === 'a').content).toBe('result of a');
    expect(of(told, 'task_progress')[0]).toMatchObject({ progress: 0, message: 'calling v/small' });
    expect(of(told, 'task_completed').find(({ task_id }) => task_id === 'c')).toMatchObject({
      status: 'completed',
      tokens_used: 15,
      execution_time_ms: expect.any(Number),
      attempt: 1,
      result_preview: 'result of c',
    });
    expect(of(told, 'task_evaluated')).toHaveLength(3);
    expect(of(told, 'task_evaluated')[0]).toMatchObject({ score: 0.9, feedback: 'fine' });
    expect(of(told, 'memory_operation').map(({ operation }) => operation)).toEqual(['recall', 'store']);
    expect(of(told, 'memory_operation')[0]).toMatchObject({
      tokens_before: expect.any(Number),
      tokens_after: expect.any(Number),
    });
    expect(of(told, 'context_updated')[0]).toMatchObject({
      tokens_used: expect.any(Number),
      tokens_limit: 32_000,
      compressed: false,
    });
    expect(of(told, 'checkpoint_created')[0]).toMatchObject({
      checkpoint_id: expect.stringMatching(/^ckpt-/),
      iteration: 1,
    });
    expect(of(told, 'progress_update')[0]).toMatchObject({
      iteration: 1,
      tasks_completed: 3,
      tasks_total: 3,
      tasks_failed: 0,
      elapsed_secs: expect.any(Number),
      goal_confidence: 0.95,
    });
    expect(of(told, 'execution_completed')[0]).toMatchObject({
      result: 'result of c',
      goal_confidence: 0.95,
      tasks_completed: 3,
      tasks_failed: 0,
      tokens_used: expect.any(Number),
      elapsed_secs: expect.any(Number),
    });
    const status = (await place.call('GET', '/s1/status')).body;
    expect(status).toMatchObject({
      session_id: 's1',
      status: 'completed',
      current_iteration: 1,
      tasks_completed: 3,
      tasks_failed: 0,
      current_task: null,
      goal_confidence: 0.95,
      checkpoints_created: 2,
      result: 'result of c',
    });
    expect(status.total_tokens_used).toBe(tokensTold);
    // Every model call had an id of its own, made of run and step.
    const ids = place.asked.map(({ requestId }) => requestId!);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => id.startsWith(started.execution_id))).toBe(true);
    const { checkpoints } = (await place.call('GET', '/s1/checkpoints')).body.data;
    expect(checkpoints).toHaveLength(2);
    expect((await place.call('GET', '')).body.data).toMatchObject({ total: 1, executions: [{ session_id: 's1' }] });
  });

  test('a reader that reconnects receives the events after its last id, without duplicates', async () => {
    await begin(goodScript);
    await place.execute(bigGoal, {}, { session_id: 's1', stream_events: false });
    const told = await place.events('s1');
    const rest = await place.events('s1', 5);
    expect(rest).toEqual(told.slice(5));
    expect((await place.request('/s1/events', { 'last-event-id': `${told.length}` })).status).toBe(204);
    expect((await place.request('/s1/events', { 'last-event-id': 'x' })).status).toBe(400);
    // A second run in the same session counts on, and a new reader sees that run.
    await place.execute('What is the capital of France?', {}, { session_id: 's1', stream_events: false });
    const second = await place.events('s1');
    expect(second[0]).toMatchObject({ id: told.length + 1, event: 'execution_started' });
    expect(await place.events('s1', told.length)).toEqual(second);
  });

  test('stream_events false returns the result', async () => {
    await begin(goodScript);
    const { status, body } = await place.call('POST', '/execute', { message: 'Say hello', stream_events: false });
    expect(status).toBe(200);
    expect(body).toEqual({
      execution_id: expect.stringMatching(/^exec-/),
      session_id: expect.stringMatching(/^ms-/),
      status: 'completed',
      result: 'result of direct',
      error: null,
      events_url: `/api/svc-ms/autonomous/${body.session_id}/events`,
    });
  });

  test('iterates until the judge is satisfied, adding and redoing tasks', async () => {
    let verdicts = 0;
    await begin((asked) => {
      if (asked.purpose === 'plan') return planOf({ id: 'a' }, { id: 'b' });
      if (asked.purpose === 'revise') return planOf({ id: 'b' }, { id: 'n', needs: ['a', 'b'], difficulty: 'hard' });
      if (asked.purpose === 'evaluate') return score(0.7);
      if (asked.purpose === 'judge') return ++verdicts === 1 ? judged(0.4, ['a name']) : judged(0.9);
      return `result ${place.asked.length} of ${taskOf(asked)}`;
    });
    const run = await place.execute(bigGoal, {}, { session_id: 's1' });
    const told = await place.events(run.session_id);
    expect(of(told, 'plan_updated')).toMatchObject([{ revision: 2, reason: expect.stringContaining('1 added') }]);
    expect(of(told, 'plan_updated')[0].tasks.map((t: { task_id: string }) => t.task_id)).toEqual(['a', 'b', 'n']);
    expect(of(told, 'task_started').map(({ task_id, attempt }) => `${task_id}${attempt}`)).toEqual(
      expect.arrayContaining(['a1', 'b1', 'b2', 'n1']),
    );
    expect(of(told, 'task_started')).toHaveLength(4);
    expect(of(told, 'progress_update').map(({ goal_confidence }) => goal_confidence)).toEqual([0.4, 0.9]);
    expect(names(told).at(-1)).toBe('execution_completed');
  });

  test('a failing model is replaced by another, and the events report it', async () => {
    await begin((asked) => {
      if (asked.purpose === 'evaluate') return score(0.9);
      if (asked.purpose === 'judge') return judged(0.9);
      return asked.model === 'v/small' ? '' : 'a fine answer';
    });
    const run = await place.execute('What is the capital of France?');
    const told = await place.events(run.session_id);
    expect(of(told, 'task_failed')).toMatchObject([
      { task_id: 't1', error: 'the answer was empty', attempt: 1, will_retry: true, next_model: 'v/mid' },
    ]);
    expect(of(told, 'task_started').map(({ model, difficulty }) => [model, difficulty])).toEqual([
      ['v/small', 'easy'],
      ['v/mid', 'medium'],
    ]);
    expect(of(told, 'execution_completed')[0].result).toBe('a fine answer');
  });

  test('without adaptive retry the same model is tried again', async () => {
    let calls = 0;
    await begin((asked) => {
      if (asked.purpose === 'evaluate') return score(0.9);
      if (asked.purpose === 'judge') return judged(0.9);
      return ++calls === 1 ? '' : 'a fine answer';
    });
    const run = await place.execute('What is the capital of France?', { enable_adaptive_retry: false });
    const told = await place.events(run.session_id);
    expect(of(told, 'task_started').map(({ model }) => model)).toEqual(['v/small', 'v/small']);
  });

  test('invalid input is rejected with the reason and starts nothing', async () => {
    await begin(goodScript);
    const bad: [unknown, RegExp][] = [
      [{}, /message/],
      [{ message: '   ' }, /message/],
      [{ message: 'x', config: { max_iterations: 0 } }, /max_iterations/],
      [{ message: 'x', config: { max_iterations: 101 } }, /max_iterations/],
      [{ message: 'x', config: { max_time_secs: 0 } }, /max_time_secs/],
      [{ message: 'x', config: { confidence_threshold: 1.5 } }, /confidence_threshold/],
      [{ message: 'x', config: { checkpoint_interval: 0 } }, /checkpoint_interval/],
      [{ message: 'x', config: { max_iteration: 5 } }, /max_iteration/],
      [{ message: 'x', session_id: 'a b' }, /session_id/],
      [{ message: 'x', stream_events: 'yes' }, /stream_events/],
    ];
    for (const [body, message] of bad) {
      const answer = await place.call('POST', '/execute', body);
      expect([answer.status, answer.body.success]).toEqual([400, false]);
      expect(answer.body.message).toMatch(message);
    }
    for (const path of ['', '/s/status', '/s/checkpoints', '/s/events'])
      expect((await place.call('GET', `${path}?output_mode=x`)).body.message).toStartWith('output_mode: ');
    expect((await place.call('GET', '')).body.data.total).toBe(0);
    expect((await place.call('GET', '/nobody/status')).status).toBe(404);
    expect((await place.call('GET', '/nobody/events')).status).toBe(404);
    expect((await place.call('GET', '/nobody/checkpoints')).status).toBe(404);
    expect((await place.call('POST', '/cancel', { session_id: 'nobody' })).status).toBe(404);
    expect((await place.call('POST', '/cancel', {})).status).toBe(400);
    expect((await place.call('POST', '/resume', { session_id: 'nobody', checkpoint_id: 'ckpt-x' })).status).toBe(404);
    expect((await place.call('POST', '/resume', { session_id: 'nobody' })).status).toBe(400);
    expect(place.asked).toHaveLength(0);
  });

  test("another user's runs are not found", async () => {
    await begin(goodScript);
    await place.execute('Say hello', {}, { session_id: 's1', stream_events: false });
    const [{ checkpoint_id }] = (await place.call('GET', '/s1/checkpoints')).body.data.checkpoints;
    expect((await place.call('GET', '/s1/status', undefined, 2)).status).toBe(404);
    expect((await place.call('GET', '/s1/events', undefined, 2)).status).toBe(404);
    expect((await place.call('POST', '/cancel', { session_id: 's1' }, 2)).status).toBe(404);
    expect((await place.call('POST', '/resume', { session_id: 's1', checkpoint_id }, 2)).status).toBe(404);
    expect((await place.call('GET', '', undefined, 2)).body.data.total).toBe(0);
    // Also when they have a session of that name.
    await place.call('POST', '/execute', { message: 'Say hello', session_id: 's1', stream_events: false }, 2);
    expect((await place.call('POST', '/resume', { session_id: 's1', checkpoint_id }, 2)).status).toBe(404);
  });
});
