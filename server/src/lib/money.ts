/** Quota is the integer money unit: 500,000 = 1 USD. */
export const quotaPerUsd = 500_000;

/** Prices in USD per million tokens; `requestPrice` in USD per image, request, minute of audio or second of video. */
export interface Price {
  promptPrice: number;
  completionPrice: number;
  requestPrice: number;
}

/** Cached prompt tokens are part of `promptTokens`; the two cache counts let a price list discount them later. */
export interface Usage {
  promptTokens: number;
  completionTokens: number;
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
  reasoningTokens?: number;
  /** Images, requests, minutes of audio or seconds of video. */
  units?: number;
}

/** USD as whole millionths, so that sums of prices are exact integers and rounding happens once. */
const micro = (usd: number): bigint => BigInt(Math.round(usd * 1_000_000));

/** Rounded up to a whole unit: a fraction is never given away, and the same usage always costs the same. */
export function costOf(price: Price, usage: Usage): number {
  const tokens =
    micro(price.promptPrice) * BigInt(Math.ceil(usage.promptTokens)) +
    micro(price.completionPrice) * BigInt(Math.ceil(usage.completionTokens));
  // tokens: micro-USD per million tokens × tokens = 1e-12 USD. units: counted in millionths, also 1e-12 USD.
  const units = micro(price.requestPrice) * BigInt(Math.round((usage.units ?? 0) * 1_000_000));
  const picoUsdPerQuota = 2_000_000n;
  const total = tokens + units;
  return Number((total + picoUsdPerQuota - 1n) / picoUsdPerQuota);
}

export const isFree = (price: Price): boolean =>
  price.promptPrice === 0 && price.completionPrice === 0 && price.requestPrice === 0;

export const quotaToUsd = (quota: number): number => quota / quotaPerUsd;
