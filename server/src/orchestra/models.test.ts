import { describe, expect, test } from 'bun:test';
import {
  type Choosing,
  chooseEmbeddingModel,
  choosePlanModel,
  chooseRerankModel,
  chooseTaskModel,
  harder,
  type ModelInfo,
  pickTiers,
  synthesisDifficulty,
} from './models.ts';
import { defaultPreferences, type Preferences } from './preferences.ts';

const model = (id: string, price: number, quality = 1, type: ModelInfo['type'] = 'chat'): ModelInfo => ({
  id,
  type,
  promptPrice: price,
  completionPrice: price,
  quality,
  contextLength: 8000,
});
const models = [
  model('big', 10),
  model('small', 1),
  model('mid', 3),
  model('e-cheap', 0.1, 1, 'embedding'),
  model('e-dear', 1, 1, 'embedding'),
  model('r', 1, 1, 'rerank'),
];
const unset = { plan: '', easy: '', medium: '', hard: '', embedding: '', rerank: '' };
const choosing = (rest: Partial<Choosing> = {}, mine: Partial<Preferences> = {}, force?: string): Choosing => ({
  settings: { force_model: force, preferences: { ...defaultPreferences, ...mine } },
  operator: unset,
  models,
  patterns: [],
  ...rest,
});

describe('tiers', () => {
  test('by price if quality is equal', () => {
    expect(pickTiers(models)).toEqual({ easy: 'small', medium: 'mid', hard: 'big' });
  });
  test('a poor model is not picked for being cheap, nor an outlier for being expensive', () => {
    const odd = [model('junk', 0.1, 0.2), model('a', 1, 0.9), model('b', 4, 0.95), model('gold', 600, 0.95)];
    expect(pickTiers(odd)).toEqual({ easy: 'a', medium: 'b', hard: 'b' });
  });
  test('easy is not the cheapest model if a stronger one is almost as cheap', () => {
    const family = [model('nano', 0.25), model('small', 0.75), model('mid', 2.4), model('big', 12)];
    expect(pickTiers(family)).toEqual({ easy: 'small', medium: 'mid', hard: 'big' });
  });
  test('one model fills all tiers, no models give none, and free models are ordered', () => {
    expect(pickTiers([model('x', 5)])).toEqual({ easy: 'x', medium: 'x', hard: 'x' });
    expect(pickTiers([model('e', 1, 1, 'embedding')])).toBeNull();
    expect(pickTiers([])).toBeNull();
    const free = [model('demo/chat-large', 0), model('demo/chat', 0)];
    expect(pickTiers(free)).toEqual({ easy: 'demo/chat', medium: 'demo/chat-large', hard: 'demo/chat-large' });
  });
});

describe('the choice of a model', () => {
  const mine = { use_custom_models: true, hard_model: 'mine', plan_model: 'planner', rerank_model: 'rr' };
  const operator = { ...unset, hard: 'op', plan: 'op-plan', embedding: 'op-e', rerank: 'op-r' };
  test('force_model takes precedence, then the user, the operator and the automatic pick', () => {
    expect(chooseTaskModel(choosing({ operator }, mine, 'forced'), 'hard', 'code')?.model).toBe('forced');
    expect(chooseTaskModel(choosing({ operator }, mine), 'hard', 'code')?.model).toBe('mine');
    expect(chooseTaskModel(choosing({ operator }, { ...mine, use_custom_models: false }), 'hard', 'code')?.model).toBe(
      'op',
    );
    expect(chooseTaskModel(choosing({ operator }, mine), 'easy', 'code')).toEqual({ model: 'small', source: 'picked' });
    expect(chooseTaskModel(choosing({ models: [] }), 'easy', 'code')).toBeNull();
  });
  test('applies to the plan model', () => {
    expect(choosePlanModel(choosing({ operator }, mine, 'forced'))?.model).toBe('forced');
    expect(choosePlanModel(choosing({ operator }, mine))?.model).toBe('planner');
    expect(choosePlanModel(choosing({ operator }))?.model).toBe('op-plan');
    expect(choosePlanModel(choosing())?.model).toBe('mid');
  });
  test('applies to embedding and rerank models, with code separate', () => {
    const both = { use_custom_models: true, embedding_model_general: 'g', embedding_model_code: 'c' };
    expect(chooseEmbeddingModel(choosing({}, both), 'code')?.model).toBe('c');
    expect(chooseEmbeddingModel(choosing({}, both), 'chat')?.model).toBe('g');
    expect(chooseEmbeddingModel(choosing({ operator }), 'code')?.model).toBe('op-e');
    expect(chooseEmbeddingModel(choosing(), 'code')?.model).toBe('e-cheap');
    expect(chooseRerankModel(choosing({}, mine))?.model).toBe('rr');
    expect(chooseRerankModel(choosing())?.model).toBe('r');
    expect(chooseRerankModel(choosing({ models: [] }))).toBeNull();
  });
});

test('learned choices take precedence over the pick, but not over configured models', () => {
  const patterns = [{ kind: 'code' as const, difficulty: 'medium' as const, model: 'mid', successes: 0, failures: 8 }];
  expect(chooseTaskModel(choosing({ patterns }), 'medium', 'code')).toEqual({ model: 'big', source: 'learned' });
  const operator = { ...unset, medium: 'mid' };
  expect(chooseTaskModel(choosing({ patterns, operator }), 'medium', 'code')?.source).toBe('operator');
});

test('a synthesis is easy work and uses what was learned about writing', () => {
  expect(chooseTaskModel(choosing(), synthesisDifficulty, 'writing')?.model).toBe('small');
  const patterns = [
    { kind: 'writing' as const, difficulty: 'easy' as const, model: 'small', successes: 9, failures: 9 },
  ];
  expect(chooseTaskModel(choosing({ patterns }), synthesisDifficulty, 'writing')?.model).toBe('mid');
});

test('harder returns the next difficulty, and hard for hard', () => {
  expect(['easy', 'medium', 'hard'].map((d) => harder(d as 'easy'))).toEqual(['medium', 'hard', 'hard']);
});
