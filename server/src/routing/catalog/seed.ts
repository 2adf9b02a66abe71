import type { Price } from '../../lib/money.ts';
import type { ModelType } from '../candidate.ts';

/** A model before it has a row: from the price list, from an upstream's own list, or built in. */
export interface ProviderModelSeed extends Price {
  /** Public name, `<vendor>/<model>`. */
  modelId: string;
  /** Name at the upstream. */
  modelName: string;
  /** For people. */
  name?: string | undefined;
  type: ModelType;
  contextLength: number;
  maxOutputTokens: number;
  qualityScore: number;
  capabilities?: Record<string, unknown>;
}
