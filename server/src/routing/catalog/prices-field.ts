import { type Part, type PartName, type PartRates, type Price, partNames, type Tier } from '../../lib/money.ts';

/** All prices of a model as in the API: USD per million tokens, `request` and `search` in USD each. */
export type Prices = Rates & {
  search?: number | undefined;
  tiers?: (Rates & { above_context: number })[] | undefined;
};
type Rates = { prompt: number; completion: number; request?: number | undefined } & NamedRates;
type NamedRates = { [N in PartName]?: number | undefined };

const parts = Object.entries(partNames) as [Part, PartName][];

const named = (rates: PartRates): NamedRates =>
  Object.fromEntries(parts.flatMap(([part, name]) => (rates[part] === undefined ? [] : [[name, rates[part]]])));

const unnamed = (rates: NamedRates): PartRates =>
  Object.fromEntries(parts.flatMap(([part, name]) => (rates[name] === undefined ? [] : [[part, rates[name]]])));

const viewTier = ({ aboveContext, prompt, completion, request, ...rates }: Tier) => ({
  above_context: aboveContext,
  prompt,
  completion,
  ...named(rates),
  ...(request !== undefined && { request }),
});

const readTier = ({
  above_context,
  prompt,
  completion,
  request,
  ...rates
}: NonNullable<Prices['tiers']>[number]): Tier => ({
  aboveContext: above_context,
  prompt,
  completion,
  ...unnamed(rates),
  ...(request !== undefined && { request }),
});

export const viewPrices = (price: Price): Prices => ({
  prompt: price.promptPrice,
  completion: price.completionPrice,
  ...named(price.parts ?? {}),
  ...(price.requestPrice > 0 && { request: price.requestPrice }),
  ...(price.searchPrice !== undefined && { search: price.searchPrice }),
  ...(price.tiers && price.tiers.length > 0 && { tiers: price.tiers.map(viewTier) }),
});

/** Replaces all parts: those left out have no price of their own any more. */
export const readPrices = ({
  prompt,
  completion,
  request = 0,
  search,
  tiers = [],
  ...rates
}: Prices): Price & Required<Pick<Price, 'parts' | 'tiers'>> => ({
  promptPrice: prompt,
  completionPrice: completion,
  requestPrice: request,
  searchPrice: search,
  parts: unnamed(rates),
  tiers: tiers.map(readTier),
});

/** What is stored in addition to the plain prices; empty if nothing was set, so that a sync may fill it in. */
export const storedParts = ({ searchPrice: search, parts, tiers }: Price): string =>
  search === undefined && parts === undefined && tiers === undefined
    ? ''
    : JSON.stringify({
        ...named(parts ?? {}),
        search,
        ...(tiers && tiers.length > 0 && { tiers: tiers.map(viewTier) }),
      });

export function parseParts(stored: string): Pick<Price, 'searchPrice' | 'parts' | 'tiers'> {
  if (stored === '') return {};
  const { searchPrice, parts, tiers } = readPrices({ prompt: 0, completion: 0, ...(JSON.parse(stored) as NamedRates) });
  return { searchPrice, parts, tiers };
}

/** As billing needs it: without members that are not priced separately, which allows the fast path. */
export const leanPrice = ({
  promptPrice,
  completionPrice,
  requestPrice,
  searchPrice,
  parts = {},
  tiers = [],
}: Price): Price => ({
  promptPrice,
  completionPrice,
  requestPrice,
  ...(searchPrice !== undefined && { searchPrice }),
  ...(Object.keys(parts).length > 0 && { parts }),
  ...(tiers.length > 0 && { tiers }),
});
