import { t } from './language/words.ts';
import type { OfferedModel } from './models.ts';

/** Whether every word of the query occurs in the model's id or name. */
export function isCalled({ id, name }: Pick<OfferedModel, 'id' | 'name'>, query: string): boolean {
  const text = `${id} ${name}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

export interface ModelFilter {
  q: string;
  capability: string;
  provider: string;
  type: string;
  sort: string;
}

/** Compares token prices if there are any; prices per request use other units. */
const dearness = ({ prompt, completion, request = 0 }: NonNullable<OfferedModel['prices']>): number =>
  prompt + completion || request;

type Order = (a: OfferedModel, b: OfferedModel) => number;

/** Models without a price sort last in both directions. */
const byPrice =
  (sign: 1 | -1): Order =>
  (a, b) =>
    a.prices && b.prices
      ? sign * (dearness(a.prices) - dearness(b.prices))
      : Number(a.prices === null) - Number(b.prices === null);

const orders = new Map<string, Order>([
  ['price', byPrice(1)],
  ['expensive', byPrice(-1)],
  ['context', (a, b) => (b.context_length ?? 0) - (a.context_length ?? 0)],
]);

export const sortings = [
  { value: '', label: t('By name') },
  { value: 'price', label: t('Cheapest first') },
  { value: 'expensive', label: t('Most expensive first') },
  { value: 'context', label: t('Longest context first') },
];

const byName: Order = (a, b) => (a.id === b.id ? 0 : a.id < b.id ? -1 : 1);

export function chosenModels(
  models: readonly OfferedModel[],
  { q, capability, provider, type, sort }: ModelFilter,
): OfferedModel[] {
  const order = orders.get(sort) ?? byName;
  return models
    .filter(
      (model) =>
        isCalled(model, q) &&
        (capability === '' || model.capabilities.some((one) => one === capability)) &&
        (provider === '' || model.providers.includes(provider)) &&
        (type === '' || model.types.some((one) => one === type)),
    )
    .sort((a, b) => order(a, b) || byName(a, b));
}
