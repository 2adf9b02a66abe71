/** Quota is the integer money unit: 500,000 = 1 USD. */
export const quotaPerUsd = 500_000;

/**
 * Parts that vendors price separately. Each belongs to the prompt or to the completion, and no token is in two of them.
 */
export const promptParts = ['cacheRead', 'cacheWrite', 'cacheWrite1h', 'audioIn', 'imageIn'] as const;
export const completionParts = ['reasoning', 'audioOut'] as const;
export type Part = (typeof promptParts)[number] | (typeof completionParts)[number];

/** USD per million tokens; a part without a rate costs the same as the rest of its prompt or completion. */
export type PartRates = { [P in Part]?: number };

/**
 * Rates for all tokens of a request whose prompt exceeds `aboveContext`; without `request` the base price per request
 * applies.
 */
export interface Tier extends PartRates {
  aboveContext: number;
  prompt: number;
  completion: number;
  request?: number;
}

/**
 * Prices in USD per million tokens; `requestPrice` in USD per image, request, minute of audio or second of video,
 * `searchPrice` in USD per web search run by the vendor. A paid model without a search price does not search.
 */
export interface Price {
  promptPrice: number;
  completionPrice: number;
  requestPrice: number;
  searchPrice?: number | undefined;
  parts?: PartRates | undefined;
  tiers?: readonly Tier[] | undefined;
}

/**
 * What a request used. The parts of a prompt (cached, audio, images) are included in `promptTokens`, those of an answer
 * (reasoning, audio) in `completionTokens`; pricing subtracts the parts with rates of their own.
 */
export interface Usage {
  promptTokens: number;
  completionTokens: number;
  cacheReadTokens?: number;
  /** Written to a cache that lasts minutes. */
  cacheWriteTokens?: number;
  /** Written to a cache that lasts an hour; not included in `cacheWriteTokens`. */
  cacheWrite1hTokens?: number;
  reasoningTokens?: number;
  audioInTokens?: number;
  imageInTokens?: number;
  audioOutTokens?: number;
  /** Images, requests, minutes of audio or seconds of video. */
  units?: number;
  /** Web searches run by the vendor. */
  searches?: number;
  /** Counted by us, because the upstream's count was missing or implausible. */
  estimated?: boolean;
}

const tokensOf = {
  cacheRead: 'cacheReadTokens',
  cacheWrite: 'cacheWriteTokens',
  cacheWrite1h: 'cacheWrite1hTokens',
  audioIn: 'audioInTokens',
  imageIn: 'imageInTokens',
  reasoning: 'reasoningTokens',
  audioOut: 'audioOutTokens',
} as const satisfies Record<Part, keyof Usage>;

/** One line of a bill: so many tokens (or millionths of a unit) at so many millionths of a USD per million. */
export interface Line {
  part: Part | 'prompt' | 'completion' | 'request' | 'search';
  count: number;
  rate: number;
}

/** USD in whole millionths, so that sums are exact integers and rounding happens once. */
const micro = (usd: number): number => (usd > 0 ? Math.round(usd * 1_000_000) : 0);

/** Counts may come from upstreams: anything but a positive number is zero. */
const whole = (count: number | undefined): number => (count !== undefined && count > 0 ? Math.ceil(count) : 0);
const millionths = (units: number | undefined): number => whole(Math.round((units ?? 0) * 1_000_000));

/** Prices times counts are whole numbers of 1e-12 USD: millionths of a USD per million tokens, times tokens. */
export const picoUsdPerQuota = 2_000_000;

/** Rounded up to a whole unit, so that fractions are never given away and equal usage costs the same. */
export function costOf(price: Price, usage: Usage): number {
  const plain = price.parts === undefined && price.tiers === undefined;
  const total = plain ? plainTotal(price, usage) : addUp(price, usage);
  // Exact up to 9,000 USD a request; larger amounts take the slower path.
  return total <= Number.MAX_SAFE_INTEGER ? Math.ceil(total / picoUsdPerQuota) : exactCostOf(price, usage);
}

function plainTotal(price: Price, usage: Usage): number {
  const prompt = micro(price.promptPrice) * whole(usage.promptTokens);
  const completion = micro(price.completionPrice) * whole(usage.completionTokens);
  // In millionths, the unit of the other lines.
  const units = price.requestPrice === 0 ? 0 : micro(price.requestPrice) * millionths(usage.units);
  return prompt + completion + units + searchTotal(price, usage);
}

/** Counted like units. */
const searchTotal = ({ searchPrice }: Price, { searches }: Usage, lines?: Line[]): number =>
  searchPrice && searches ? addLine('search', millionths(searches), micro(searchPrice), lines) : 0;

/** The whole bill in 1e-12 USD, with its lines if a list is given. */
function addUp(price: Price, usage: Usage, lines?: Line[]): number {
  const prompt = whole(usage.promptTokens);
  const tier = tierFor(price, prompt);
  const rates = tier ?? price.parts;
  const promptRate = micro(tier?.prompt ?? price.promptPrice);
  const completionRate = micro(tier?.completion ?? price.completionPrice);
  const requestRate = micro(tier?.request ?? price.requestPrice);
  return (
    addWhole({ part: 'prompt', count: prompt, rate: promptRate }, promptParts, rates, usage, lines) +
    addWhole(
      { part: 'completion', count: whole(usage.completionTokens), rate: completionRate },
      completionParts,
      rates,
      usage,
      lines,
    ) +
    (requestRate > 0 ? addLine('request', millionths(usage.units), requestRate, lines) : 0) +
    searchTotal(price, usage, lines)
  );
}

/**
 * Parts are subtracted from their whole one after the other, so that a vendor who reports more than the whole is not
 * paid twice for a token.
 */
function addWhole(
  all: Line,
  parts: readonly Part[],
  rates: PartRates | undefined,
  usage: Usage,
  lines: Line[] | undefined,
): number {
  let left = all.count;
  let total = 0;
  for (const part of parts) {
    const count = Math.min(left, whole(usage[tokensOf[part]]));
    if (count === 0) continue;
    left -= count;
    const own = rates?.[part];
    total += addLine(part, count, own === undefined ? all.rate : micro(own), lines);
  }
  return total + addLine(all.part, left, all.rate, lines);
}

function addLine(part: Line['part'], count: number, rate: number, lines: Line[] | undefined): number {
  if (count > 0) lines?.push({ part, count, rate });
  return count * rate;
}

/**
 * The same bill for a plain price and only tokens, in 1e-12 USD; null for any other, or one that exceeds exact range.
 */
export function plainHalves(price: Price, usage: Usage): { prompt: number; completion: number } | null {
  if (price.parts !== undefined || price.tiers !== undefined || usage.units !== undefined) return null;
  if (price.searchPrice && usage.searches) return null;
  const prompt = micro(price.promptPrice) * whole(usage.promptTokens);
  const completion = micro(price.completionPrice) * whole(usage.completionTokens);
  return prompt + completion <= Number.MAX_SAFE_INTEGER ? { prompt, completion } : null;
}

/** The lines of a bill; unused parts have none. */
export function linesOf(price: Price, usage: Usage): Line[] {
  const lines: Line[] = [];
  addUp(price, usage, lines);
  return lines;
}

/** Bounds absurd counts, so that sums cannot overflow. */
const bounded = (count: number): bigint => BigInt(Math.min(count, Number.MAX_SAFE_INTEGER));
export const picoUsdOf = ({ count, rate }: Line): bigint => bounded(count) * bounded(rate);

function exactCostOf(price: Price, usage: Usage): number {
  const total = linesOf(price, usage).reduce((sum, line) => sum + picoUsdOf(line), 0n);
  const unit = BigInt(picoUsdPerQuota);
  return Number((total + unit - 1n) / unit);
}

/** The highest tier that a prompt of this length reaches. */
function tierFor({ tiers }: Price, context: number): Tier | undefined {
  let found: Tier | undefined;
  if (tiers === undefined) return found;
  for (const tier of tiers)
    if (context > tier.aboveContext && (found === undefined || tier.aboveContext > found.aboveContext)) found = tier;
  return found;
}

/** Separately priced features that the request itself asks for. */
export interface Asks {
  /** Asks for a cache, whose writes cost up to twice the prompt's price. */
  mayWriteCache?: boolean;
  /** Contains audio, or asks for it. */
  hasAudio?: boolean;
  hasImages?: boolean;
}

/**
 * For holds: the most that up to so many tokens can cost. A prompt may turn out shorter than its bound, and belong to a
 * lower tier with higher prices.
 */
export function costAtMost(price: Price, usage: Usage, asks: Asks = {}): number {
  const { parts, tiers = [] } = price;
  if (parts === undefined && tiers.length === 0) return costOf(price, usage);
  const prompt = whole(usage.promptTokens);
  const starts = tiers.map(({ aboveContext }) => aboveContext);
  let most = 0;
  for (const tier of [undefined, ...tiers]) {
    const start = tier?.aboveContext ?? 0;
    if (tier && prompt <= start) continue;
    const promptTokens = Math.min(prompt, ...starts.filter((next) => next > start));
    most = Math.max(most, mostInTier(price, tier, { ...usage, promptTokens }, asks));
  }
  return most;
}

/**
 * Any output token may be reasoning, and some vendors cache long prompts unasked; other parts count only if the request
 * asks for them, or holds would far exceed the bill.
 */
function mostInTier(price: Price, tier: Tier | undefined, usage: Usage, asks: Asks): number {
  const { promptTokens, completionTokens, units = 0, searches = 0 } = usage;
  const { searchPrice } = price;
  const rates = tier ?? price.parts ?? {};
  const promptPrice = Math.max(
    tier?.prompt ?? price.promptPrice,
    rates.cacheRead ?? 0,
    rates.cacheWrite ?? 0,
    asks.mayWriteCache ? (rates.cacheWrite1h ?? 0) : 0,
    asks.hasAudio ? (rates.audioIn ?? 0) : 0,
    asks.hasImages ? (rates.imageIn ?? 0) : 0,
  );
  const completionPrice = Math.max(
    tier?.completion ?? price.completionPrice,
    rates.reasoning ?? 0,
    asks.hasAudio ? (rates.audioOut ?? 0) : 0,
  );
  const requestPrice = tier?.request ?? price.requestPrice;
  const highest = { promptPrice, completionPrice, requestPrice, searchPrice };
  return costOf(highest, { promptTokens, completionTokens, units, searches });
}

/** The price scaled by a factor, part by part, so that bills have the usual lines. */
export function scaledPrice(
  { promptPrice, completionPrice, requestPrice, searchPrice, parts, tiers }: Price,
  factor: number,
): Price {
  const scaled = <R extends object>(rates: R): R =>
    Object.fromEntries(Object.entries(rates).map(([name, rate]) => [name, (rate as number) * factor])) as R;
  return {
    ...scaled({ promptPrice, completionPrice, requestPrice, ...(searchPrice !== undefined && { searchPrice }) }),
    ...(parts && { parts: scaled(parts) }),
    ...(tiers && { tiers: tiers.map(({ aboveContext, ...rates }) => ({ aboveContext, ...scaled(rates) })) }),
  };
}

export function isFree(price: Price): boolean {
  if (price.promptPrice !== 0 || price.completionPrice !== 0 || price.requestPrice !== 0) return false;
  if (price.searchPrice) return false;
  const { parts = {}, tiers = [] } = price;
  return (
    Object.values(parts).every((rate) => rate === 0) &&
    tiers.every(({ aboveContext: _, ...rates }) => Object.values(rates).every((rate) => rate === 0))
  );
}

/** Searches on a paid model must have a price. */
export const paysSearches = (price: Price): boolean => price.searchPrice !== undefined || isFree(price);

export const quotaToUsd = (quota: number): number => quota / quotaPerUsd;

/** The parts as the API names them. */
export const partNames = {
  cacheRead: 'cache_read',
  cacheWrite: 'cache_write',
  cacheWrite1h: 'cache_write_1h',
  reasoning: 'reasoning',
  audioIn: 'audio_in',
  audioOut: 'audio_out',
  imageIn: 'image_in',
} as const satisfies Record<Part, string>;

export type PartName = (typeof partNames)[Part];
