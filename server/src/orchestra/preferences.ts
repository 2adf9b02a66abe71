import { z } from 'zod';
import { AppError } from '../lib/errors.ts';
import type { ModelType } from '../routing/candidate.ts';
import { contextTokens, fault, verbosities } from './params.ts';

const model = z.string().max(200).default('');

/** Every preference with its range and default. */
export const preferencesSchema = z.object({
  use_custom_models: z.boolean().default(false),
  plan_model: model,
  easy_model: model,
  medium_model: model,
  hard_model: model,
  embedding_model_general: model,
  embedding_model_code: model,
  rerank_model: model,
  enable_rerank: z.boolean().default(false),
  rerank_top_n: z.int().min(1).max(200).default(10),
  max_context_tokens: contextTokens.default(32_000),
  auto_summarize: z.boolean().default(true),
  enable_embedding: z.boolean().default(true),
  enable_knowledge_extraction: z.boolean().default(false),
  summarize_threshold: z.int().min(2).max(1000).default(20),
  max_tasks_per_plan: z.int().min(1).max(50).default(8),
  enable_parallel_tasks: z.boolean().default(true),
  default_verbosity: z.enum(verbosities).default('normal'),
  max_output_tokens: z
    .int()
    .min(-1)
    .max(1_000_000)
    .refine((tokens) => tokens !== 0, 'must be -1 (unlimited) or at least 1')
    .default(-1),
});
export type Preferences = z.infer<typeof preferencesSchema>;
export type StoredPreferences = Partial<Preferences>;

/**
 * A change: any of the fields; null resets one to its default. Defaults are removed, because otherwise omitted fields
 * would be reset.
 */
export const preferencesChangeSchema = z.object(
  Object.fromEntries(
    Object.entries(preferencesSchema.shape).map(([name, field]) => [name, field.removeDefault().nullable().optional()]),
  ),
);

export const defaultPreferences: Preferences = preferencesSchema.parse({});

/** The type of model that each model field must name. */
export const modelFields = {
  plan_model: 'chat',
  easy_model: 'chat',
  medium_model: 'chat',
  hard_model: 'chat',
  embedding_model_general: 'embedding',
  embedding_model_code: 'embedding',
  rerank_model: 'rerank',
} as const satisfies Partial<Record<keyof Preferences, ModelType>>;

export const withDefaults = (stored: StoredPreferences): Preferences => ({ ...defaultPreferences, ...stored });

/**
 * Applies a change to the stored preferences: omitted fields stay, null resets to the default. Throws before anything
 * is changed.
 */
export function changePreferences(
  stored: StoredPreferences,
  change: unknown,
  isModel: (id: string, type: ModelType) => boolean,
): StoredPreferences {
  if (typeof change !== 'object' || change === null || Array.isArray(change)) {
    throw new AppError('invalid_value', 'preferences must be an object');
  }
  const parsed = preferencesChangeSchema.safeParse(change);
  if (!parsed.success) throw fault('', parsed.error);
  const known = Object.entries(parsed.data).filter(([, value]) => value !== undefined);
  const set = Object.fromEntries(known.filter(([, value]) => value !== null));
  for (const [name, type] of Object.entries(modelFields)) {
    const id = set[name];
    if (typeof id === 'string' && id !== '' && !isModel(id, type)) {
      throw new AppError('invalid_value', `${name}: there is no ${type} model "${id}"`, { param: name });
    }
  }
  const next: Record<string, unknown> = { ...stored, ...set };
  for (const [name, value] of known) if (value === null) delete next[name];
  return next;
}
