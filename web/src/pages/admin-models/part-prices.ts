import type { ProviderModel } from '../../catalog.ts';
import { t } from '../../language/words.ts';

type Prices = ProviderModel['prices'];
type PricedTier = NonNullable<Prices['tiers']>[number];
export type PartName = Exclude<keyof Prices, 'prompt' | 'completion' | 'request' | 'tiers'>;

/** The parts that providers may price separately, and the price each falls back to. */
export const parts: { name: Exclude<PartName, 'search'>; label: string; as: 'prompt' | 'completion' }[] = [
  { name: 'cache_read', label: t('Read from cache'), as: 'prompt' },
  { name: 'cache_write', label: t('Written to cache'), as: 'prompt' },
  { name: 'cache_write_1h', label: t('Written to cache (1 hour)'), as: 'prompt' },
  { name: 'audio_in', label: t('Audio input'), as: 'prompt' },
  { name: 'image_in', label: t('Image input'), as: 'prompt' },
  { name: 'reasoning', label: t('Reasoning'), as: 'completion' },
  { name: 'audio_out', label: t('Audio output'), as: 'completion' },
];

const tierNames = parts.map(({ name }) => name);
/** A search costs the same for every prompt size, so it has no tiers. Without a price, no searches are run. */
const partNames = [...tierNames, 'search'] as const;

/** As typed; empty if a part has no price of its own. */
export type PartFields = Record<PartName, number | string>;
export type TierFields = PartFields & {
  /** React key: tiers have no other identity while they are edited. */
  key: number;
  above_context: number | string;
  prompt: number | string;
  completion: number | string;
  request: number | string;
};

export const partFields = (prices: Partial<Prices> = {}): PartFields =>
  Object.fromEntries(partNames.map((name) => [name, prices[name] ?? ''])) as PartFields;

export const tierFields = (tier: Partial<PricedTier>, key: number): TierFields => ({
  ...partFields(tier),
  key,
  above_context: tier.above_context ?? '',
  prompt: tier.prompt ?? '',
  completion: tier.completion ?? '',
  request: tier.request ?? '',
});

const typed = (fields: Partial<Record<string, number | string>>, names: readonly string[]): Record<string, number> =>
  Object.fromEntries(names.flatMap((name) => (fields[name] === '' ? [] : [[name, Number(fields[name])]])));

export const hasParts = (fields: PartFields, tiers: readonly TierFields[]): boolean =>
  tiers.length > 0 || partNames.some((name) => fields[name] !== '');

export const partPrices = (fields: PartFields): { [N in PartName]?: number } => typed(fields, partNames);

export const tierPrices = (tier: TierFields): PricedTier => ({
  above_context: Number(tier.above_context),
  prompt: Number(tier.prompt),
  completion: Number(tier.completion),
  ...typed(tier, [...tierNames, 'request']),
});

/** The validation error of the tiers, if any. */
export function tierFault(tiers: readonly TierFields[]): string | undefined {
  if (tiers.some((tier) => tier.above_context === '' || tier.prompt === '' || tier.completion === ''))
    return t('Enter a size, a prompt price and a completion price for long prompts.');
  const sizes = tiers.map((tier) => Number(tier.above_context));
  if (sizes.some((size, i) => i > 0 && size <= sizes[i - 1]!))
    return t('Each size must be larger than the previous one.');
  return undefined;
}
