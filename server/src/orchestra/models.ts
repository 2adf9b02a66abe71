import type { ModelType } from '../routing/candidate.ts';
import type { CircuitState } from '../routing/circuit.ts';
import { learnedModel } from './learned-model.ts';
import type { Difficulty } from './params.ts';
import type { Kind, Pattern } from './patterns.ts';
import { modelFields } from './preferences.ts';
import type { Settings } from './settings.ts';

/** The engine's public model name. */
export const orchestraModel = 'svc/svc-ms';

/** An enabled model the caller may use. */
export interface ModelInfo {
  id: string;
  type: ModelType;
  /** USD per million tokens. */
  promptPrice: number;
  completionPrice: number;
  /** 0-1. */
  quality: number;
  /** 0 if unknown. */
  contextLength: number;
  /** 0 or absent if unknown. */
  maxOutputTokens?: number;
  /** State of its healthiest provider's circuit, as seen for this user. */
  circuit?: CircuitState | undefined;
  /** The limits of the user or the request that exclude all of its providers; absent if a provider is left. */
  leftOut?: string[];
}

/** Models set by the operator (options `MsPlanModel`, …); empty if unset. */
export type OperatorModels = Record<'plan' | Difficulty | 'embedding' | 'rerank', string>;

export interface Choosing {
  settings: Pick<Settings, 'force_model' | 'preferences'>;
  operator: OperatorModels;
  models: ModelInfo[];
  patterns: Pattern[];
}

export interface Choice {
  model: string;
  source: 'forced' | 'user' | 'operator' | 'learned' | 'picked';
  /** The model that would have been chosen if its circuits were not open. */
  insteadOf?: string;
}

/** A model priced far above the others is never picked automatically. */
const maxPriceRatio = 10;
/** A model below this share of the best quality is not worth its price. */
const minQualityRatio = 0.6;
/** Prices up to this share of the hard model's price are not worth saving on. */
const nextToNothing = 1 / 12;

export const harder = (difficulty: Difficulty): Difficulty => (difficulty === 'easy' ? 'medium' : 'hard');

/** The model for a task; null if there is no chat model at all. */
export const chooseTaskModel = (choosing: Choosing, difficulty: Difficulty, kind: Kind): Choice | null =>
  healthyFirst(choosing, (among) => taskModel(among, difficulty, kind));

export const choosePlanModel = (choosing: Choosing): Choice | null => healthyFirst(choosing, planModel);

/** A model whose circuits are all open is used only if there is no alternative, or if the request forces it. */
function healthyFirst(choosing: Choosing, choose: (choosing: Choosing) => Choice | null): Choice | null {
  const first = choose(choosing);
  const down = choosing.models.filter(({ circuit }) => circuit === 'open').map(({ id }) => id);
  if (!first || first.source === 'forced' || !down.includes(first.model)) return first;
  const second = choose(without(choosing, down));
  return second ? { ...second, insteadOf: first.model } : first;
}

/** Excludes these models, even if the user or the operator configured them. */
export function without(choosing: Choosing, ids: readonly string[]): Choosing {
  const models = choosing.models.filter(({ id }) => !ids.includes(id));
  return { ...renamed(choosing, (name) => (ids.includes(name) ? '' : name)), models };
}

/** Maps every model name configured by the user or the operator. */
export function renamed(choosing: Choosing, rename: (name: string) => string): Choosing {
  const { settings, operator } = choosing;
  const preferences: Record<string, unknown> = { ...settings.preferences };
  for (const field of Object.keys(modelFields)) preferences[field] = rename(`${preferences[field]}`);
  const names = Object.entries(operator).map(([use, name]) => [use, rename(name)]);
  return {
    ...choosing,
    settings: { ...settings, preferences: preferences as Settings['preferences'] },
    operator: Object.fromEntries(names),
  };
}

function taskModel(choosing: Choosing, difficulty: Difficulty, kind: Kind): Choice | null {
  const { models, patterns } = choosing;
  const named = namedModel(choosing, difficulty);
  if (named) return named;
  const tiers = pickTiers(models);
  if (!tiers) return null;
  const ladder = models.filter((model) => model.type === 'chat').toSorted(byPrice);
  const learned = learnedModel(patterns, ladder, tiers, difficulty, kind);
  return learned ? { model: learned, source: 'learned' } : { model: tiers[difficulty], source: 'picked' };
}

function planModel(choosing: Choosing): Choice | null {
  const tiers = pickTiers(choosing.models);
  return namedModel(choosing, 'plan') ?? (tiers && { model: tiers.medium, source: 'picked' });
}

/** The model named by the request, the user or the operator, in this order. */
function namedModel({ settings, operator }: Choosing, use: 'plan' | Difficulty): Choice | null {
  if (settings.force_model) return { model: settings.force_model, source: 'forced' };
  const mine = settings.preferences[`${use}_model`];
  if (settings.preferences.use_custom_models && mine) return { model: mine, source: 'user' };
  return operator[use] ? { model: operator[use], source: 'operator' } : null;
}

/** Synthesis only writes up the results, however hard it was to get them. */
export const synthesisDifficulty: Difficulty = 'easy';

/** Summaries and fact extraction do not need a strong model. */
export const chooseHelperModel = (choosing: Choosing): Choice | null => chooseTaskModel(choosing, 'easy', 'summary');

export function chooseEmbeddingModel({ settings, operator, models }: Choosing, kind: Kind): Choice | null {
  const { use_custom_models, embedding_model_code, embedding_model_general } = settings.preferences;
  const mine = (kind === 'code' && embedding_model_code) || embedding_model_general;
  if (use_custom_models && mine) return { model: mine, source: 'user' };
  return auxiliaryModel(models, operator.embedding, 'embedding');
}

export function chooseRerankModel({ settings, operator, models }: Choosing): Choice | null {
  const { use_custom_models, rerank_model } = settings.preferences;
  if (use_custom_models && rerank_model) return { model: rerank_model, source: 'user' };
  return auxiliaryModel(models, operator.rerank, 'rerank');
}

function auxiliaryModel(models: ModelInfo[], named: string, type: ModelType): Choice | null {
  if (named) return { model: named, source: 'operator' };
  const cheapest = models.filter((model) => model.type === type).toSorted(byPrice)[0];
  return cheapest ? { model: cheapest.id, source: 'picked' } : null;
}

export type Tiers = Record<Difficulty, string>;

/**
 * Hard: the best quality, the more expensive one of equals. Medium: the middle of the prices up to the hard one. Easy:
 * the best of the models that cost next to nothing compared to the hard one, because saving even more is not worth a
 * wrong answer; if there are none, the cheapest.
 */
export function pickTiers(models: ModelInfo[]): Tiers | null {
  const chat = models.filter((model) => model.type === 'chat').toSorted(byPrice);
  const middlePrice = price(chat[Math.floor(chat.length / 2)]);
  const affordable = chat.filter((model) => price(model) <= middlePrice * maxPriceRatio);
  const best = Math.max(...affordable.map((model) => model.quality));
  const capable = affordable.filter((model) => model.quality >= best * minQualityRatio);
  if (capable.length === 0) return null;
  const hard = capable.toSorted((a, b) => b.quality - a.quality || byPrice(b, a))[0]!;
  const between = capable.filter((model) => price(model) <= price(hard));
  const medium = between[Math.floor(between.length / 2)]!;
  const cheap = between.filter((model) => price(model) <= price(hard) * nextToNothing && price(model) < price(medium));
  const easy = cheap.toSorted((a, b) => b.quality - a.quality || byPrice(b, a))[0] ?? capable[0]!;
  return { easy: easy.id, medium: medium.id, hard: hard.id };
}

export const price = (model: ModelInfo | undefined): number =>
  model ? (model.promptPrice + model.completionPrice) / 2 : 0;

/** Cheapest first; ties go to the smaller window, then the name, so that the order is deterministic. */
const byPrice = (a: ModelInfo, b: ModelInfo): number =>
  price(a) - price(b) || a.contextLength - b.contextLength || (a.id < b.id ? -1 : 1);
