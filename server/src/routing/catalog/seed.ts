import type { Price } from '../../lib/money.ts';
import type { ModelType } from '../candidate.ts';

/** A model before it has a row: from the price list, an upstream's list, or built in. */
export interface ProviderModelSeed extends Price {
  /** Public name, `<vendor>/<model>`. */
  modelId: string;
  /** Name at the upstream. */
  modelName: string;
  /** Display name. */
  name?: string | undefined;
  type: ModelType;
  contextLength: number;
  maxOutputTokens: number;
  qualityScore: number;
  capabilities?: Record<string, unknown>;
}

/** The models of the built-in provider as seeds: free, with the same name upstream. */
export const builtInSeeds = (
  models: readonly {
    id: string;
    name: string;
    type: ModelType;
    context_length: number;
    max_output_tokens: number;
    capabilities: Record<string, unknown>;
  }[],
): ProviderModelSeed[] =>
  models.map((model) => ({
    modelId: model.id,
    modelName: model.id,
    name: model.name,
    type: model.type,
    promptPrice: 0,
    completionPrice: 0,
    requestPrice: 0,
    contextLength: model.context_length,
    maxOutputTokens: model.max_output_tokens,
    qualityScore: 1,
    capabilities: model.capabilities,
  }));
