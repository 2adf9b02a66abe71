import { describe, expect, test } from 'bun:test';
import { learnedModel } from './learned-model.ts';
import type { Difficulty } from './params.ts';
import type { Kind, Pattern } from './patterns.ts';

const priced = (id: string, price: number) => ({ id, promptPrice: price, completionPrice: price });
const ladder = [priced('small', 1), priced('mid', 3), priced('big', 10)];
const tiers = { easy: 'small', medium: 'mid', hard: 'big' };
const seen = (model: string, successes: number, failures: number, kind: Kind = 'code'): Pattern => ({
  kind,
  difficulty: 'medium',
  model,
  successes,
  failures,
});
const learn = (patterns: Pattern[], difficulty: Difficulty = 'medium', kind: Kind = 'code') =>
  learnedModel(patterns, ladder, tiers, difficulty, kind);

test('without samples nothing is learned', () => {
  expect(learn([])).toBeNull();
});

describe('a failing model', () => {
  test('is replaced by the next stronger one, after five samples', () => {
    expect(learn([seen('mid', 0, 4)])).toBeNull();
    expect(learn([seen('mid', 2, 4)])).toBe('big');
    expect(learn([seen('mid', 24, 16)])).toBe('big');
    expect(learn([seen('mid', 30, 2)])).not.toBe('big');
  });
  test('is tolerated longer if the next stronger one costs more', () => {
    const failing = [seen('mid', 33, 7)];
    expect(learn(failing)).not.toBe('big');
    const close = [priced('small', 1), priced('mid', 9), priced('big', 10)];
    expect(learnedModel(failing, close, tiers, 'medium', 'code')).toBe('big');
  });
  test('at one kind of work is still used for others and at other difficulties', () => {
    expect(learn([seen('mid', 0, 8)], 'medium', 'math')).not.toBe('big');
    expect(learn([seen('mid', 0, 8)], 'hard')).toBeNull();
  });
  test('the strongest model has no replacement', () => {
    const failing = [{ ...seen('big', 0, 9), difficulty: 'hard' as const }];
    expect(learn(failing, 'hard')).toBeNull();
    expect(learn([seen('mid', 0, 9), seen('big', 0, 9)])).toBe('big');
  });
});

describe('the next cheaper model', () => {
  test('is tried for one task in ten', () => {
    expect(learn([seen('mid', 9, 0)])).toBeNull();
    expect(learn([seen('mid', 10, 0)])).toBe('small');
    expect(learn([seen('mid', 10, 0), seen('small', 1, 0)])).toBeNull();
    expect(learn([seen('mid', 19, 0), seen('small', 1, 0)])).toBe('small');
  });
  test('is dropped after two failures, unless the usual one fails as often', () => {
    expect(learn([seen('mid', 90, 0), seen('small', 3, 2)])).toBeNull();
    expect(learn([seen('mid', 90, 0), seen('small', 3, 1, 'math')])).toBe('small');
  });
  test('replaces the usual one once it is as good across all kinds, except where it failed', () => {
    const proved = [seen('mid', 150, 0), seen('small', 40, 0), seen('small', 40, 0, 'math')];
    expect(learn(proved)).toBe('small');
    expect(learn([seen('mid', 150, 0), seen('small', 60, 0)])).toBeNull();
    expect(
      learn([seen('mid', 150, 0), seen('small', 60, 4), seen('small', 60, 0, 'math')], 'medium', 'math'),
    ).toBeNull();
    expect(learn([...proved, seen('small', 3, 4, 'writing')], 'medium', 'writing')).toBeNull();
  });
  test('must also succeed at hard work', () => {
    const at = (model: string, successes: number) => ({ ...seen(model, successes, 0), difficulty: 'hard' as const });
    expect(learn([at('big', 250), at('mid', 30)], 'hard')).toBeNull();
    expect(learn([at('big', 750), at('mid', 90)], 'hard')).toBe('mid');
  });
  test('is not tried if it would save little', () => {
    const close = [priced('small', 2), priced('mid', 3), priced('big', 10)];
    expect(learnedModel([seen('mid', 10, 0)], close, tiers, 'medium', 'code')).toBeNull();
    const easy = [{ ...seen('small', 50, 0), difficulty: 'easy' as const }];
    expect(learnedModel(easy, [priced('tiny', 0.1), ...ladder], tiers, 'easy', 'code')).toBeNull();
  });
});
