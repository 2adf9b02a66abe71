import { type CostPart, costParts } from '../lib/cost-parts.ts';
import { type Line, linesOf, type Price, partNames, picoUsdPerQuota, plainHalves, type Usage } from '../lib/money.ts';

/** The order in which a row lists the costs of its parts. Only ever append: stored rows rely on it. */
const order = [
  'prompt',
  'completion',
  'request',
  'cacheRead',
  'cacheWrite',
  'cacheWrite1h',
  'reasoning',
  'audioIn',
  'audioOut',
  'imageIn',
  'search',
] as const satisfies Line['part'][];
const place = Object.fromEntries(order.map((part, i) => [part, i])) as Record<Line['part'], number>;

export const billNames = {
  prompt: 'prompt',
  completion: 'completion',
  request: 'request',
  search: 'search',
  ...partNames,
} as const;
export type BillName = (typeof billNames)[Line['part']];
export const billParts = order.map((part) => billNames[part]);

/**
 * `120,30` for prompt and completion, `20,30,,5` with something from a cache. Compact, because every request writes a
 * row.
 */
function pack(parts: readonly CostPart[]): string {
  const costs: (number | '')[] = [];
  for (const { part, cost } of parts) {
    if (cost === 0) continue;
    while (costs.length <= place[part]) costs.push('');
    costs[place[part]] = cost;
  }
  return costs.join(',');
}

const sum = (parts: readonly CostPart[]): number => parts.reduce((total, { cost }) => total + cost, 0);

const hasParts = (usage: Usage): boolean =>
  usage.cacheReadTokens !== undefined ||
  usage.cacheWriteTokens !== undefined ||
  usage.cacheWrite1hTokens !== undefined ||
  usage.reasoningTokens !== undefined ||
  usage.audioInTokens !== undefined ||
  usage.imageInTokens !== undefined ||
  usage.audioOutTokens !== undefined;

/** Fast path of `costParts` for prompt and completion alone, which is all most requests have. */
function packHalves(prompt: number, completion: number, charged: number): string {
  if (charged !== Math.ceil((prompt + completion) / picoUsdPerQuota)) return '';
  let first = Math.floor(prompt / picoUsdPerQuota);
  let second = Math.floor(completion / picoUsdPerQuota);
  const left = charged - first - second;
  const firstLost = prompt % picoUsdPerQuota >= completion % picoUsdPerQuota;
  if (left === 2 || (left === 1 && firstLost)) first += 1;
  if (left === 2 || (left === 1 && !firstLost)) second += 1;
  if (second === 0) return first === 0 ? '' : `${first}`;
  return `${first || ''},${second}`;
}

/** The costs of the parts of a charge; empty if they are unknown or do not add up to the charge. */
export function packCosts(price: Price | undefined, usage: Usage, charged: number): string {
  if (charged === 0) return '';
  if (price) {
    const plain = hasParts(usage) ? null : plainHalves(price, usage);
    if (plain) return packHalves(plain.prompt, plain.completion, charged);
    const parts = costParts(price, usage);
    return sum(parts) === charged ? pack(parts) : '';
  }
  const onlyUnits = !(usage.promptTokens > 0) && !(usage.completionTokens > 0);
  return onlyUnits ? pack([{ part: 'request', cost: charged }]) : '';
}

/** What each part cost, in the order of `billParts`; null if unknown. */
export const costsIn = (packed: string, charged: number): number[] | null =>
  packed === '' && charged > 0 ? null : packed.split(',').map(Number);

export interface BillPart {
  part: BillName;
  tokens?: number;
  units?: number;
  /** In quota units; null if unknown. */
  cost: number | null;
}

const anything: Price = { promptPrice: 0, completionPrice: 0, requestPrice: 0 };

/** The amount and cost of each part, split the same way as for billing so that each part has the same tokens. */
export function billOf(usage: Usage, packed: string, charged: number): BillPart[] {
  const costs = packed.split(',');
  const costOf = (part: Line['part']): number | null =>
    packed === '' && charged > 0 ? null : Number(costs[place[part]] ?? 0);
  const bill: BillPart[] = linesOf(anything, usage).map(({ part, count }) => ({
    part: billNames[part],
    tokens: count,
    cost: costOf(part),
  }));
  for (const [part, units = 0] of [
    ['request', usage.units],
    ['search', usage.searches],
  ] as const)
    if (units > 0) bill.push({ part, units, cost: costOf(part) });
  // A charge without an amount, such as a price per call.
  for (const part of order)
    if ((costOf(part) ?? 0) > 0 && !bill.some((line) => line.part === billNames[part]))
      bill.push({ part: billNames[part], cost: costOf(part) });
  return bill;
}
