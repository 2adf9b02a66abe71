import type { ModelInfo } from '../../server/src/orchestra/models.ts';
import type { Difficulty } from '../../server/src/orchestra/params.ts';
import type { Kind } from '../../server/src/orchestra/patterns.ts';
import { between, normal, randomOf } from '../kit/random.ts';
import { wordings } from './wordings.ts';

export type WorkKind = keyof typeof wordings;

export interface SimulatedModel {
  info: ModelInfo;
  /**
   * Per kind of work: together with a task's toughness it determines the chance of success. Never shown to the engine.
   */
  skill: Record<WorkKind, number>;
}

/** What one seed draws: everything the engine is not told. */
export interface World {
  seed: number;
  /** Cheapest first. */
  models: SimulatedModel[];
  kinds: Record<WorkKind, number>;
  levels: Record<Difficulty, number>;
  /** Share of requests whose wording suggests a neighbouring difficulty. */
  misleading: number;
  /** Share of wrong answers that are recognisable: empty, refused, cut off. The rest looks like a right answer. */
  visible: number;
  /** Share of calls that fail regardless of skill. */
  glitches: number;
  /** Share of tasks to which the planner assigns a neighbouring difficulty. */
  plannerError: number;
  /** Share of plans that are not valid JSON. */
  plannerGarbage: number;
}

/** Prices per million tokens in steps of three to five, as in vendors' model families. */
const catalogue = [
  { id: 'sim/nano', prompt: 0.1, completion: 0.4, skill: 0.45 },
  { id: 'sim/small', prompt: 0.25, completion: 1.25, skill: 0.62 },
  { id: 'sim/medium', prompt: 0.8, completion: 4, skill: 0.78 },
  { id: 'sim/large', prompt: 4, completion: 20, skill: 1.05 },
];
/** Deviation of a model's skill at one kind from its overall skill. */
const talent = 0.06;

export const hardest = 'sim/large';

/** The ordinary mix of requests, or one with about twice as many hard ones. */
export type Mix = 'ordinary' | 'heavy';
const hardShare: Record<Mix, [number, number]> = { ordinary: [0.1, 0.16], heavy: [0.22, 0.34] };

export function worldOf(seed: number, mix: Mix = 'ordinary'): World {
  const random = randomOf('world', seed);
  const kinds = Object.keys(wordings) as WorkKind[];
  const each = <T>(value: () => T) => Object.fromEntries(kinds.map((kind) => [kind, value()])) as Record<WorkKind, T>;
  const models = catalogue.map(({ id, prompt, completion, skill }) => {
    const own = skill + normal(0.04, random);
    // Every model has the same quality in the catalog, so that the engine has to learn what each is good at.
    const info: ModelInfo = {
      id,
      type: 'chat',
      promptPrice: prompt,
      completionPrice: completion,
      quality: 0.8,
      contextLength: 128_000,
    };
    return { info, skill: each(() => own + normal(talent, random)) };
  });
  return {
    seed,
    models,
    kinds: each(() => between(0.5, 1.5, random)),
    levels: {
      easy: between(0.45, 0.6, random),
      medium: between(0.25, 0.35, random),
      hard: between(...hardShare[mix], random),
    },
    misleading: between(0.1, 0.25, random),
    visible: between(0.25, 0.5, random),
    glitches: between(0.005, 0.02, random),
    plannerError: between(0.15, 0.3, random),
    plannerGarbage: between(0.02, 0.08, random),
  };
}

/** The chance of success: even if skill and toughness are equal, nearly certain 0.25 above. */
export const chance = (skill: number, toughness: number): number => 1 / (1 + Math.exp((toughness - skill) * 16));

export const skillOf = (model: SimulatedModel, kind: Kind): number => model.skill[kind as WorkKind];
