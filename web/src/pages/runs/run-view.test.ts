import { describe, expect, test } from 'bun:test';
import { parseEvent, type RunEvent } from './run-events.ts';
import { emptyView, type RunView, withEvent } from './run-view.ts';

const overview = (task_id: string, ...depends_on: string[]) => ({
  task_id,
  title: `T ${task_id}`,
  difficulty: 'easy',
  depends_on,
});
const plan = { description: 'Do it', tasks: [overview('a'), overview('b', 'a')] };

type Body = RunEvent extends infer E ? (E extends RunEvent ? Omit<E, 'timestamp'> : never) : never;
const replay = (events: Body[], from: RunView = emptyView): RunView =>
  events.reduce((view, event) => withEvent(view, view.lastId + 1, { timestamp: 1, ...event } as RunEvent), from);

const started: Body = { event_type: 'execution_started', goal: 'g', plan };
const begin = (task_id: string, attempt = 1): Body => ({
  event_type: 'task_started',
  ...{ task_id, attempt, title: `T ${task_id}`, model: 'm', difficulty: 'easy' },
});
const chunk = (task_id: string, content: string): Body => ({ event_type: 'task_content_chunk', task_id, content });

describe('run view', () => {
  test('collects the output of each task', () => {
    const view = replay([started, begin('a'), chunk('a', 'one '), chunk('a', 'two')]);
    expect(view.status).toBe('running');
    expect(view.tasks.map(({ status, output }) => [status, output])).toEqual([
      ['running', 'one two'],
      ['pending', ''],
    ]);
    expect(view.log.map(({ event }) => event)).toEqual(['execution_started', 'task_started']);
  });

  test('clears the output of a task with each attempt', () => {
    const failed: Body = { event_type: 'task_failed', task_id: 'a', error: 'no', attempt: 1, will_retry: true };
    const view = replay([started, begin('a'), chunk('a', 'bad'), failed]);
    expect(view.tasks[0]).toMatchObject({ status: 'retrying', error: 'no' });
    expect(replay([begin('a', 2), chunk('a', 'good')], view).tasks[0]).toMatchObject({
      status: 'running',
      output: 'good',
    });
  });

  test('keeps completed tasks when the plan is revised', () => {
    const done: Body = {
      event_type: 'task_completed',
      task_id: 'a',
      tokens_used: 5,
      execution_time_ms: 9,
      attempt: 1,
      result_preview: 'p',
    };
    const revised: Body = {
      event_type: 'plan_updated',
      revision: 2,
      reason: 'more',
      tasks: [overview('a'), overview('c', 'a')],
    };
    const view = replay([started, begin('a'), done, revised]);
    expect(view.revision).toBe(2);
    expect(view.tasks.map(({ id, status }) => [id, status])).toEqual([
      ['a', 'completed'],
      ['c', 'pending'],
    ]);
    expect(view.tasks[0]!.output).toBe('p');
  });

  test('stops all tasks when cancelled and continues when resumed', () => {
    const cancelled: Body = {
      event_type: 'execution_paused',
      reason: 'cancelled',
      status: 'cancelled',
      checkpoint_id: 'k',
    };
    const view = replay([started, begin('a'), cancelled]);
    expect(view.status).toBe('cancelled');
    expect(view.tasks[0]!.status).toBe('pending');
    const again = replay([{ ...started, resumed_from: 'k' } as Body, begin('a')], view);
    expect(again.status).toBe('running');
    expect(again.tasks[0]!.status).toBe('running');
  });

  test('ignores repeated events', () => {
    const view = replay([started, begin('a'), chunk('a', 'x')]);
    expect(withEvent(view, 3, { event_type: 'task_content_chunk', timestamp: 1, task_id: 'a', content: 'x' })).toBe(
      view,
    );
  });

  test('ends with the result', () => {
    const view = replay([started, { event_type: 'execution_completed', result: '# Done', goal_confidence: 0.9 }]);
    expect(view).toMatchObject({ status: 'completed', result: '# Done' });
  });
});

test('unknown and malformed events are ignored', () => {
  expect(parseEvent('{"event_type":"new_kind"}')).toBeNull();
  expect(parseEvent('nonsense')).toBeNull();
  expect(parseEvent('{"event_type":"error","message":"m"}')).toMatchObject({ message: 'm' });
});
