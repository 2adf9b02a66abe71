import type { PartRates, Tier } from '../../lib/money.ts';
import type { Model, Models, Rates, Vendor } from '../../lib/vendors/vendor.ts';
import { type ModelType, modelTypes } from '../candidate.ts';
import type { ProviderModelSeed } from './seed.ts';

/** The price of one model at one provider. */
export interface PriceEntry extends ProviderModelSeed {
  /** The `provider` of a channel. */
  provider: string;
  name: string;
}

/** The meaning of the numbers in a vendor's table, by model type. */
const columns = {
  chat: ['promptPrice', 'completionPrice', 'contextLength', 'maxOutputTokens', 'qualityScore'],
  embedding: ['promptPrice', 'contextLength'],
  image: ['requestPrice'],
  speech: ['requestPrice'],
  transcription: ['requestPrice'],
  moderation: [],
  rerank: ['requestPrice', 'promptPrice', 'contextLength'],
  video: ['requestPrice', 'capabilities'],
  realtime: ['promptPrice', 'completionPrice', 'contextLength', 'maxOutputTokens', 'qualityScore'],
} as const satisfies Record<ModelType, readonly (keyof ProviderModelSeed)[]>;

const base = {
  promptPrice: 0,
  completionPrice: 0,
  requestPrice: 0,
  contextLength: 0,
  maxOutputTokens: 0,
  qualityScore: 0.8,
};

/** The models of these vendors, their own and resold ones. */
export function priceEntries(vendors: readonly Pick<Vendor, 'id' | 'models'>[]): PriceEntry[] {
  const own = vendors.flatMap(({ id, models }) => ownEntries(id, models));
  const original = new Map(own.toReversed().map((entry) => [entry.modelId, entry]));
  const resold = vendors.flatMap(({ id, models }) =>
    Object.entries(models.resold ?? {}).flatMap(([modelId, modelName]) => {
      const entry = original.get(modelId);
      if (!entry) return [];
      // Resellers have other endpoints and few of the vendor's tools.
      const { capabilities: _, searchPrice, ...resold } = entry;
      return [{ ...resold, provider: id, modelName, ...(models.resellsSearch && { searchPrice }) }];
    }),
  );
  return [...own, ...resold];
}

function ownEntries(provider: string, models: Models): PriceEntry[] {
  const namesOf = (model: Model) =>
    typeof model === 'string'
      ? { modelId: `${provider}/${model}`, modelName: model }
      : { modelId: model[0], modelName: model[1] };
  return modelTypes.flatMap((type) =>
    (models[type] ?? []).map(([model, name, ...values]): PriceEntry => {
      const said = Object.fromEntries(columns[type].map((column, i) => [column, values[i]]));
      const names = namesOf(model);
      const able = type === 'chat' && models.abilities?.(names.modelName);
      const entry = { ...base, provider, ...names, name, type, ...said, ...(able && { capabilities: { ...able } }) };
      const rates = (type === 'chat' || type === 'realtime') && models.rates?.(entry.modelName);
      return rates ? withRates(entry, rates) : entry;
    }),
  );
}

/** Prices are whole millionths of a USD; the product of two decimals rarely is. */
const rounded = (usd: number): number => Math.round(usd * 1_000_000) / 1_000_000;

/** The entry with the prices of its parts. */
function withRates(entry: PriceEntry, { long, audioIn, audioOut, request, search, ...shares }: Rates): PriceEntry {
  const caches = (prompt: number): PartRates =>
    Object.fromEntries(Object.entries(shares).map(([part, share]) => [part, rounded(prompt * share)]));
  const sound: PartRates = { ...(audioIn && { audioIn }), ...(audioOut && { audioOut }) };
  const parts = { ...caches(entry.promptPrice), ...sound };
  const priced = {
    ...entry,
    ...(request && { requestPrice: request }),
    ...(search !== undefined && { searchPrice: search }),
    ...(Object.keys(parts).length > 0 && { parts }),
  };
  if (!long) return priced;
  const prompt = rounded(entry.promptPrice * long.prompt);
  const completion = rounded(entry.completionPrice * long.completion);
  const tier: Tier = { aboveContext: long.above, prompt, completion, ...caches(prompt), ...sound };
  return { ...priced, tiers: [tier] };
}
