import { formatCompact, formatUsd } from './format.ts';
import { type Health, healthOf } from './health.ts';
import { t } from './language/words.ts';
import { firstModel, type OfferedModel } from './models.ts';

export type Prices = NonNullable<OfferedModel['prices']>;
export type Capability = OfferedModel['capabilities'][number];
type Rate = Exclude<keyof Prices, 'tiers' | 'search'>;
type Tier = NonNullable<Prices['tiers']>[number];

export const capabilityNames: Record<Capability, string> = {
  tools: t('Tools'),
  structured_outputs: t('Structured output'),
  vision: t('Vision'),
  audio: t('Audio'),
  reasoning: t('Reasoning'),
  caching: t('Prompt cache'),
};
export const capabilities = Object.keys(capabilityNames) as Capability[];

/** The unit of the `request` price, by model type. */
const units: Record<string, string> = {
  image: t('image##unit'),
  speech: t('minute##unit'),
  transcription: t('minute##unit'),
  video: t('second##unit'),
};
export const unitOf = (type: string | undefined): string => units[type ?? 'chat'] ?? t('request##unit');

const isFree = ({ tiers = [], ...rates }: Prices): boolean =>
  Object.values(rates).every((rate) => rate === 0) &&
  tiers.every(({ above_context: _, ...tier }) => Object.values(tier).every((rate) => rate === 0));

/** The model to suggest first. A user without credits gets a free one, since all others would reject the request. */
export const startModel = (models: OfferedModel[], quota: number): string =>
  (quota > 0 ? '' : firstModel(models.filter(({ prices }) => prices !== null && isFree(prices)))) || firstModel(models);

type Priced = Pick<OfferedModel, 'prices' | 'types'>;

/** A one-line summary of the price, for lists. */
export function priceWords({ prices, types }: Priced): string {
  if (prices === null) return t('Price of the models it calls');
  if (isFree(prices)) return t('Free');
  const { prompt, completion, request = 0, tiers = [] } = prices;
  const words = [
    (prompt > 0 || completion > 0) && t('{price} in', { price: formatUsd(prompt) }),
    completion > 0 && t('{price} out', { price: formatUsd(completion) }),
    request > 0 && t('{price} / {unit}', { price: formatUsd(request), unit: unitOf(types[0]) }),
    tiers[0] && t('higher above {tokens}', { tokens: formatCompact(tiers[0].above_context) }),
  ];
  return words.filter(Boolean).join(' · ');
}

interface PriceRow {
  label: string;
  /**
   * The base price, then the price of each tier; `as` names the rate that applies if this part has no price of its own.
   */
  values: (number | { as: string })[];
}

/** The parts of a price, and the part whose rate applies if one has none of its own. */
const parts: [name: Rate, label: string, as?: 'prompt' | 'completion'][] = [
  ['prompt', t('Prompt')],
  ['cache_read', t('Read from cache'), 'prompt'],
  ['cache_write', t('Written to cache'), 'prompt'],
  ['cache_write_1h', t('Written to cache for an hour'), 'prompt'],
  ['image_in', t('Image input'), 'prompt'],
  ['audio_in', t('Audio input'), 'prompt'],
  ['completion', t('Completion')],
  ['reasoning', t('Reasoning'), 'completion'],
  ['audio_out', t('Audio output'), 'completion'],
];

/** The full price: one row per priced part, one column per prompt size. */
export function priceTable({ prices, types }: { prices: Prices; types: OfferedModel['types'] }): {
  columns: string[];
  rows: PriceRow[];
} {
  const { tiers = [], search, ...base } = prices;
  const all: (typeof base | Tier)[] = [base, ...tiers];
  const byToken = all.some(({ prompt, completion }) => prompt > 0 || completion > 0);
  const rows = parts.flatMap(([name, label, as]): PriceRow[] => {
    const said = all.some((one) => one[name] !== undefined);
    if (!said || (as === undefined && !byToken && base.request)) return [];
    return [
      { label, values: all.map((one) => one[name] ?? { as: as === 'completion' ? t('Completion') : t('Prompt') }) },
    ];
  });
  if (all.some(({ request }) => request))
    rows.push({
      label: t('Each {unit}', { unit: unitOf(types[0]) }),
      values: all.map(({ request }) => request ?? base.request ?? 0),
    });
  if (search !== undefined) rows.push({ label: t('Each web search'), values: all.map(() => search) });
  const first = tiers.length > 0 ? t('Up to {tokens}', { tokens: formatCompact(tiers[0]!.above_context) }) : t('Price');
  return {
    columns: [
      first,
      ...tiers.map(({ above_context }) => t('Above {tokens}', { tokens: formatCompact(above_context) })),
    ],
    rows,
  };
}

export const tokenWords = (count: number | null): string => (count === null ? '–' : formatCompact(count));

interface Measured {
  samples: number;
  successes: number;
}
/** Measured requests by provider, summed over all models. */
export type Providers = ReadonlyMap<string, Measured>;

/** Counts only models with a single provider: for the others, the health data does not tell which provider answered. */
export function measuredProviders(models: readonly Pick<OfferedModel, 'providers' | 'health'>[]): Providers {
  const found = new Map<string, Measured>();
  for (const { providers, health } of models) {
    const [name] = providers;
    if (name === undefined || providers.length > 1 || !health) continue;
    const { samples, successes } = found.get(name) ?? { samples: 0, successes: 0 };
    const { requests_last_hour: more, success_rate_last_hour: rate } = health;
    found.set(name, { samples: samples + more, successes: successes + more * rate });
  }
  return found;
}

/**
 * Null for models that call other models. A model without recent requests shows the health of its providers instead.
 */
export function modelHealth(
  { health, providers = [], unavailable = [] }: Pick<OfferedModel, 'health'> & Partial<OfferedModel>,
  known: Providers = new Map(),
): Health | null {
  if (!health) return null;
  const { circuit_state, success_rate_last_hour, requests_last_hour } = health;
  const own = healthOf(circuit_state, success_rate_last_hour, requests_last_hour);
  if (circuit_state !== 'closed' || requests_last_hour > 0) return own;
  const asked = providers.filter((name) => !unavailable.includes(name)).flatMap((name) => known.get(name) ?? []);
  const samples = asked.reduce((sum, one) => sum + one.samples, 0);
  if (samples === 0) return own;
  const { label, color } = healthOf('closed', asked.reduce((sum, one) => sum + one.successes, 0) / samples, samples);
  return { label: t('Provider: {health}', { health: label.toLowerCase() }), color };
}
