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
const micro = (usd: number): number => Math.round(usd * 1_000_000);

/** 1e-12 USD, in which prices times counts are whole: a millionth of a USD per million tokens, times tokens. */
const picoUsdPerQuota = 2_000_000;

/** Rounded up to a whole unit: a fraction is never given away, and the same usage always costs the same. */
export function costOf(price: Price, usage: Usage): number {
  const prompt = micro(price.promptPrice) * Math.ceil(usage.promptTokens);
  const completion = micro(price.completionPrice) * Math.ceil(usage.completionTokens);
  // Counted in millionths, and so in the same unit as the others.
  const units = price.requestPrice === 0 ? 0 : micro(price.requestPrice) * Math.round((usage.units ?? 0) * 1_000_000);
  const total = prompt + completion + units;
  // Up to 9,000 USD a request every number here is exact; what is dearer takes the slower way.
  return total <= Number.MAX_SAFE_INTEGER ? Math.ceil(total / picoUsdPerQuota) : exactCostOf(price, usage);
}

function exactCostOf(price: Price, usage: Usage): number {
  const total =
    BigInt(micro(price.promptPrice)) * BigInt(Math.ceil(usage.promptTokens)) +
    BigInt(micro(price.completionPrice)) * BigInt(Math.ceil(usage.completionTokens)) +
    BigInt(micro(price.requestPrice)) * BigInt(Math.round((usage.units ?? 0) * 1_000_000));
  const unit = BigInt(picoUsdPerQuota);
  return Number((total + unit - 1n) / unit);
}

export const isFree = (price: Price): boolean =>
  price.promptPrice === 0 && price.completionPrice === 0 && price.requestPrice === 0;

export const quotaToUsd = (quota: number): number => quota / quotaPerUsd;
