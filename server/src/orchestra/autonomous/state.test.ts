import { describe, expect, test } from 'bun:test';
import { configSchema } from './config.ts';
import { again, live, newState, newTask, type RunState, resumedState, stalled, tally, usePlan } from './state.ts';
import { parseRevision, redoWeak, useRevision } from './steps-plan.ts';

const task = (id: string, depends_on: string[] = []) => ({
  id,
  title: `Title ${id}`,
  instruction: `do ${id}`,
  difficulty: 'easy' as const,
  depends_on,
});
const planned = (): RunState => {
  const state = newState();
  usePlan(state, { description: 'd', tasks: [task('a'), task('b'), task('c', ['a', 'b'])] });
  return state;
};
const done = (state: RunState, id: string, score: number): void => {
  const found = state.tasks.find((one) => one.id === id)!;
  Object.assign(found, { status: 'completed', step: `1.task:${id}:1`, score, attempts: 1 });
};
const config = configSchema.parse({});

describe('a plan revision', () => {
  test('may depend on completed tasks without listing them, and is validated otherwise', () => {
    const state = planned();
    done(state, 'a', 0.9);
    const answer = (...tasks: unknown[]) => `Here: ${JSON.stringify({ description: 'more', tasks })}`;
    const plan = parseRevision(answer({ ...task('x'), depends_on: ['a'] }, task('y', ['x'])), state, 8);
    expect(plan!.tasks.map(({ id, depends_on }) => [id, depends_on])).toEqual([
      ['x', ['a']],
      ['y', ['x']],
    ]);
    expect(parseRevision(answer(task('x', ['b'])), state, 8)).toBeNull();
    expect(parseRevision(answer(task('x', ['y']), task('y', ['x'])), state, 8)).toBeNull();
    expect(parseRevision(answer(), state, 8)).toBeNull();
    expect(parseRevision('no idea', state, 8)).toBeNull();
    expect(parseRevision(answer(task('x'), task('y')), state, 1)).toBeNull();
  });

  test('can split, merge, skip, add and redo tasks', () => {
    const state = planned();
    done(state, 'a', 0.4);
    useRevision(state, { description: '', tasks: [task('a'), task('b1'), task('b2'), task('n', ['a', 'b1', 'b2'])] });
    const states = Object.fromEntries(state.tasks.map(({ id, status }) => [id, status]));
    expect(states).toEqual({ a: 'pending', b: 'skipped', c: 'skipped', b1: 'pending', b2: 'pending', n: 'pending' });
    expect(state.tasks[0]!.step).toBe('1.task:a:1');
    expect(live(state).map(({ id }) => id)).toEqual(['a', 'b1', 'b2', 'n']);
    expect(tally(state)).toEqual({ completed: 0, failed: 0, total: 4 });
  });

  test('without a planner weak tasks are redone, at a higher difficulty if retries may adapt', () => {
    const state = planned();
    for (const id of ['a', 'b', 'c']) done(state, id, 0.9);
    state.tasks[1]!.score = 0.2;
    redoWeak(state, true);
    expect(state.tasks.map(({ status, difficulty }) => [status, difficulty])).toEqual([
      ['completed', 'easy'],
      ['pending', 'medium'],
      ['completed', 'easy'],
    ]);
    done(state, 'b', 0.9);
    state.missing = ['a name'];
    redoWeak(state, false);
    expect(state.tasks[2]).toMatchObject({
      status: 'pending',
      difficulty: 'easy',
      feedback: 'Still missing: a name',
    });
  });
});

describe('budgets', () => {
  test('a run is stalled after three equal judgements', () => {
    expect(stalled({ history: [0.5, 0.5] })).toBe(false);
    expect(stalled({ history: [0.2, 0.5, 0.5, 0.505] })).toBe(true);
    expect(stalled({ history: [0.5, 0.5, 0.6] })).toBe(false);
  });

  test('a resume continues counting, or resets exhausted budgets', () => {
    const state = planned();
    state.iteration = 4;
    state.history = [0.5, 0.5, 0.5];
    again(state.tasks[0]!, 'because');
    Object.assign(state.tasks[1]!, {
      status: 'failed',
      attempts: 3,
      error: 'x',
      faults: [{ model: 'm', fault: 'empty' }],
    });
    const more = resumedState(
      state,
      'ckpt-1',
      { ...config, max_iterations: 10 },
      { elapsedMs: 5000, cost: 0, tokens: 0 },
    );
    expect(more).toMatchObject({ iterationBase: 0, elapsedBaseMs: 0, history: [], resumedFrom: 'ckpt-1' });
    expect(more.tasks[1]).toMatchObject({ status: 'pending', attempts: 3, faults: [] });
    const anew = resumedState(
      state,
      'ckpt-1',
      { ...config, max_iterations: 4, max_time_secs: 5 },
      { elapsedMs: 5000, cost: 0, tokens: 0 },
    );
    expect(anew).toMatchObject({ iterationBase: 4, elapsedBaseMs: 5000 });
    expect(state.iterationBase).toBe(0);
  });

  test('a new task has all fields needed to run', () => {
    expect(newTask(task('z'))).toMatchObject({ status: 'pending', attempts: 0, step: null, score: null });
  });
});
