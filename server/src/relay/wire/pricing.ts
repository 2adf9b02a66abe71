import type { Part, PartRates, Price, Tier } from '../../lib/money.ts';
import { trimEndOf } from '../../lib/trim-end.ts';
import { isObject, type Json } from './conversation.ts';

/*
 * Prices in model lists, in OpenRouter's format, which many clients read: USD per token as text. Its `image` (per
 * image) has no counterpart: images are counted in tokens.
 */
const names: Record<Part, string> = {
  cacheRead: 'input_cache_read',
  cacheWrite: 'input_cache_write',
  cacheWrite1h: 'input_cache_write_1h',
  reasoning: 'internal_reasoning',
  audioIn: 'audio',
  audioOut: 'audio_output',
  imageIn: 'image_token',
};
const parts = Object.entries(names) as [Part, string][];

/** USD per token as a plain decimal, since such small numbers lose digits or get an exponent in JSON. */
const perToken = (usdPerMillion: number): string => decimal(usdPerMillion / 1_000_000);

function decimal(usd: number): string {
  return trimEndOf(trimEndOf(usd.toFixed(15), '0'), '.') || '0';
}

const renderParts = (rates: PartRates): Record<string, string> =>
  Object.fromEntries(
    parts.flatMap(([part, name]) => (rates[part] === undefined ? [] : [[name, perToken(rates[part])]])),
  );

export const renderPricing = ({
  promptPrice,
  completionPrice,
  requestPrice,
  searchPrice,
  parts: apart,
  tiers,
}: Price) => ({
  prompt: perToken(promptPrice),
  completion: perToken(completionPrice),
  // Per image, request, minute of audio or second of video.
  ...(requestPrice > 0 && { request: decimal(requestPrice) }),
  ...(searchPrice !== undefined && { web_search: decimal(searchPrice) }),
  ...(apart && renderParts(apart)),
  ...(tiers && {
    overrides: tiers.map(({ aboveContext, prompt, completion, request, ...rates }) => ({
      min_prompt_tokens: aboveContext + 1,
      prompt: perToken(prompt),
      completion: perToken(completion),
      ...(request !== undefined && { request: decimal(request) }),
      ...renderParts(rates),
    })),
  }),
});

/**
 * Of a model that asks others, each at its own price: what OpenRouter says of its routers. Clients that read this format
 * know it; 0 would mean free.
 */
export const varyingPricing = { prompt: '-1', completion: '-1' };

/** A higher price is a mistake; the same limit as for administrators. */
const highest = 1_000_000;

/** Only strings are read: numeric prices are as often per million tokens as per token. */
function usd(value: unknown, times: number): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Math.round(Number(value) * times * 1e6) / 1e6 : -1;
  return number >= 0 && number <= highest ? number : undefined;
}
const perMillion = (value: unknown): number | undefined => usd(value, 1_000_000);

/** A price of 0 means that the list does not say. */
const readParts = (pricing: Json): PartRates =>
  Object.fromEntries(
    parts.flatMap(([part, name]) => (perMillion(pricing[name]) ? [[part, perMillion(pricing[name])]] : [])),
  );

/** Fields missing in an override keep their base price; overrides by time of day are not for long prompts. */
function readTier(pricing: Json, override: unknown): Tier | undefined {
  if (!isObject(override) || override.utc_start != null || override.utc_end != null) return undefined;
  const least = override.min_prompt_tokens;
  const all = { ...pricing, ...override };
  const [prompt, completion] = [perMillion(all.prompt), perMillion(all.completion)];
  if (typeof least !== 'number' || !Number.isInteger(least) || least < 2) return undefined;
  if (prompt === undefined || completion === undefined) return undefined;
  return { aboveContext: least - 1, prompt, completion, ...readParts(all) };
}

const mostTiers = 8;

export function readPricing(pricing: unknown): Price | undefined {
  if (!isObject(pricing)) return undefined;
  const [promptPrice, completionPrice] = [perMillion(pricing.prompt), perMillion(pricing.completion)];
  if (promptPrice === undefined || completionPrice === undefined) return undefined;
  const rates = readParts(pricing);
  // Zero means none.
  const searchPrice = usd(pricing.web_search, 1) || undefined;
  const overrides = Array.isArray(pricing.overrides) ? pricing.overrides : [];
  const found = overrides.flatMap((override) => readTier(pricing, override) ?? []);
  // Of two for the same length, the later wins.
  const tiers = [...new Map(found.map((tier) => [tier.aboveContext, tier])).values()]
    .sort((a, b) => a.aboveContext - b.aboveContext)
    .slice(0, mostTiers);
  return {
    promptPrice,
    completionPrice,
    requestPrice: usd(pricing.request, 1) ?? 0,
    ...(searchPrice !== undefined && { searchPrice }),
    ...(Object.keys(rates).length > 0 && { parts: rates }),
    ...(tiers.length > 0 && { tiers }),
  };
}
