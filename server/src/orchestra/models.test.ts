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
  test('by price when quality is equal', () => {
    expect(pickTiers(models)).toEqual({ easy: 'small', medium: 'mid', hard: 'big' });
  });
  test('a poor model is not picked for being cheap, nor an outlier for being dear', () => {
    const odd = [model('junk', 0.1, 0.2), model('a', 1, 0.9), model('b', 4, 0.95), model('gold', 600, 0.95)];
    expect(pickTiers(odd)).toEqual({ easy: 'a', medium: 'b', hard: 'b' });
  });
  test('easy is not the very cheapest where a stronger one costs next to nothing too', () => {
    const family = [model('nano', 0.25), model('small', 0.75), model('mid', 2.4), model('big', 12)];
    expect(pickTiers(family)).toEqual({ easy: 'small', medium: 'mid', hard: 'big' });
  });
  test('one model is all three; none is none; free ones are ordered too', () => {
    expect(pickTiers([model('x', 5)])).toEqual({ easy: 'x', medium: 'x', hard: 'x' });
    expect(pickTiers([model('e', 1, 1, 'embedding')])).toBeNull();
    expect(pickTiers([])).toBeNull();
    const free = [model('demo/chat-large', 0), model('demo/chat', 0)];
    expect(pickTiers(free)).toEqual({ easy: 'demo/chat', medium: 'demo/chat-large', hard: 'demo/chat-large' });
  });
});

describe('who decides', () => {
  const mine = { use_custom_models: true, hard_model: 'mine', plan_model: 'planner', rerank_model: 'rr' };
  const operator = { ...unset, hard: 'op', plan: 'op-plan', embedding: 'op-e', rerank: 'op-r' };
  test('force_model, else the user, else the operator, else the pick', () => {
    expect(chooseTaskModel(choosing({ operator }, mine, 'forced'), 'hard', 'code')?.model).toBe('forced');
    expect(chooseTaskModel(choosing({ operator }, mine), 'hard', 'code')?.model).toBe('mine');
    expect(chooseTaskModel(choosing({ operator }, { ...mine, use_custom_models: false }), 'hard', 'code')?.model).toBe(
      'op',
    );
    expect(chooseTaskModel(choosing({ operator }, mine), 'easy', 'code')).toEqual({ model: 'small', source: 'picked' });
    expect(chooseTaskModel(choosing({ models: [] }), 'easy', 'code')).toBeNull();
  });
  test('the plan model likewise', () => {
    expect(choosePlanModel(choosing({ operator }, mine, 'forced'))?.model).toBe('forced');
    expect(choosePlanModel(choosing({ operator }, mine))?.model).toBe('planner');
    expect(choosePlanModel(choosing({ operator }))?.model).toBe('op-plan');
    expect(choosePlanModel(choosing())?.model).toBe('mid');
  });
  test('embedding and rerank models likewise, code apart from the rest', () => {
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

test('what was learned goes before the pick, and after whoever named a model', () => {
  const patterns = [{ kind: 'code' as const, difficulty: 'medium' as const, model: 'mid', successes: 0, failures: 8 }];
  expect(chooseTaskModel(choosing({ patterns }), 'medium', 'code')).toEqual({ model: 'big', source: 'learned' });
  const operator = { ...unset, medium: 'mid' };
  expect(chooseTaskModel(choosing({ patterns, operator }), 'medium', 'code')?.source).toBe('operator');
});

test('a synthesis is easy work, and what was learned of such writing counts for it', () => {
  expect(chooseTaskModel(choosing(), synthesisDifficulty, 'writing')?.model).toBe('small');
  const patterns = [
    { kind: 'writing' as const, difficulty: 'easy' as const, model: 'small', successes: 9, failures: 9 },
  ];
  expect(chooseTaskModel(choosing({ patterns }), synthesisDifficulty, 'writing')?.model).toBe('mid');
});

test('harder', () => {
  expect(['easy', 'medium', 'hard'].map((d) => harder(d as 'easy'))).toEqual(['medium', 'hard', 'hard']);
});
