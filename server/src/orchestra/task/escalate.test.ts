import { expect, test } from 'bun:test';
import type { Choosing, ModelInfo } from '../models.ts';
import { defaultPreferences, type Preferences } from '../preferences.ts';
import { chooseOtherModel, dueAttempt, escalate, type TaskState } from './escalate.ts';

const model = (id: string, price: number): ModelInfo => ({
  id,
  type: 'chat',
  promptPrice: price,
  completionPrice: price,
  quality: 1,
  contextLength: 8000,
});
const models = [model('big', 10), model('small', 1), model('mid', 3)];
const unset = { plan: '', easy: '', medium: '', hard: '', embedding: '', rerank: '' };
const choosing = (rest: Partial<Choosing> = {}, mine: Partial<Preferences> = {}, force?: string): Choosing => ({
  settings: { force_model: force, preferences: { ...defaultPreferences, ...mine } },
  operator: unset,
  models,
  patterns: [],
  ...rest,
});

test('if the strongest model refuses, the next one is tried, unless models were configured', () => {
  expect(chooseOtherModel(choosing(), ['big'])?.model).toBe('mid');
  expect(chooseOtherModel(choosing(), ['mid'])?.model).toBe('big');
  expect(chooseOtherModel(choosing(), ['mid', 'big'])).toBeNull();
  expect(chooseOtherModel(choosing({ models: [] }), [])).toBeNull();
  expect(chooseOtherModel(choosing({}, {}, 'forced'), ['forced'])).toBeNull();
  expect(chooseOtherModel(choosing({}, { use_custom_models: true }), ['big'])).toBeNull();
  expect(chooseOtherModel(choosing({ operator: { ...unset, hard: 'op' } }), ['op'])).toBeNull();
});

const task = (state: TaskState, adaptive = true) => ({ kind: 'code' as const, state, adaptive });

test('the stored attempts are enough to continue from', () => {
  const state: TaskState = { difficulty: 'easy', faults: [] };
  expect(dueAttempt(choosing(), task(state))).toEqual({ number: 1, model: 'small', difficulty: 'easy', last: false });
  const next = escalate(choosing(), task(state), 'small', 'empty');
  expect(next).toEqual({ number: 2, model: 'mid', difficulty: 'medium', last: false });
  expect(dueAttempt(choosing(), task(structuredClone(state)))).toEqual(next);
});

test('after the last attempt the task keeps the difficulty it was tried at', () => {
  const state: TaskState = { difficulty: 'easy', faults: [] };
  for (const model of ['small', 'mid', 'big']) escalate(choosing(), task(state), model, 'empty');
  expect(state).toMatchObject({ difficulty: 'hard', faults: { length: 3 } });
  const refused: TaskState = { difficulty: 'medium', faults: [] };
  expect(escalate(choosing({}, {}, 'big'), task(refused), 'big', 'refused')).toBeNull();
  expect(refused.difficulty).toBe('medium');
});

test('without adaptive retry the same model is tried again', () => {
  const state: TaskState = { difficulty: 'easy', faults: [] };
  const same = (number: number) => ({ number, model: 'small', difficulty: 'easy' as const, last: false });
  expect(escalate(choosing(), task(state, false), 'small', 'refused')).toEqual(same(2));
  expect(escalate(choosing(), task(state, false), 'small', 'unanswered')).toEqual(same(3));
  expect(escalate(choosing(), task(state, false), 'small', 'empty')).toBeNull();
});

test('during an outage configured models are tried before picked ones', () => {
  const named = choosing({ operator: { ...unset, medium: 'op' } });
  const state: TaskState = { difficulty: 'hard', faults: [] };
  expect(escalate(named, task(state), 'big', 'unanswered')?.model).toBe('op');
  expect(escalate(named, task(state), 'op', 'unanswered')?.model).toBe('mid');
});

test('unresponsive models use up no attempts, and are not asked endlessly', () => {
  const many = choosing({ models: Array.from({ length: 9 }, (_, i) => model(`m${i}`, 5 + i)) });
  const state: TaskState = { difficulty: 'hard', faults: [] };
  const asked: string[] = [];
  for (let at = dueAttempt(many, task(state)); at; at = escalate(many, task(state), at.model, 'unanswered'))
    asked.push(at.model);
  expect(asked).toEqual(['m8', 'm7', 'm6', 'm5']);
  const later: TaskState = { difficulty: 'easy', faults: [] };
  for (const down of ['m0', 'm1', 'm2']) escalate(many, task(later), down, 'unanswered', 'timeout');
  const next = dueAttempt(many, task(later))!;
  expect(next).toMatchObject({ number: 4, last: false, failover: { from: 'm2', why: 'timeout' } });
  expect(escalate(many, task(later), next.model, 'empty')).not.toBeNull();
});
