import { z } from 'zod';
import { maybeJson } from '../../lib/maybe-json.ts';
import { type PartRates, type Price, quotaPerUsd, scaledPrice } from '../../lib/money.ts';
import { priceOf } from '../../routing/catalog/price-list.ts';
import { listedBy } from '../model.ts';

/** Ratio of the prices of one-hour and five-minute caches. */
const hourOverMinutes = 6 / 3.75;

/** One entry that is none, as an older version may have left it, does not cost the others theirs. */
const ratios = z.record(z.string(), z.number().min(0).optional().catch(undefined)).catch({});
const names = z.record(z.string(), z.string().optional().catch(undefined)).catch({});

/** Options that become prices; the others are not imported. */
export const priceOptions = [
  ...['ModelRatio', 'CompletionRatio', 'CacheRatio', 'CreateCacheRatio', 'ImageRatio', 'AudioRatio'],
  ...['AudioCompletionRatio', 'ModelPrice', 'GroupRatio', 'QuotaPerUnit'],
] as const;

/** The same as here by default. */
export const unitsPerUsd = (options: ReadonlyMap<string, string>): number =>
  Number(options.get('QuotaPerUnit')) || quotaPerUsd;

export interface NewApiPrices {
  /** Null if the model has no price that can be expressed here. */
  priceOf(model: string, group: string): Price | null;
  ratioOf(group: string): number;
  /** Remarks about a model's price. */
  noteOf(model: string): string | null;
}

export function readPrices(options: ReadonlyMap<string, string>): NewApiPrices {
  const table = (name: (typeof priceOptions)[number]) => ratios.parse(maybeJson(options.get(name) ?? ''));
  const [model, completion, perRequest, group] = [
    table('ModelRatio'),
    table('CompletionRatio'),
    table('ModelPrice'),
    table('GroupRatio'),
  ];
  const [cacheRead, cacheWrite, imageIn] = [table('CacheRatio'), table('CreateCacheRatio'), table('ImageRatio')];
  const [audioIn, audioOut] = [table('AudioRatio'), table('AudioCompletionRatio')];
  const modes = names.parse(maybeJson(options.get('billing_setting.billing_mode') ?? ''));
  // A ratio of 1 is one quota unit per token.
  const usdPerRatio = 1_000_000 / unitsPerUsd(options);
  const hasFormula = (name: string): boolean => modes[name] === 'tiered_expr';

  const said = (name: string): Price | null => {
    if (hasFormula(name)) return null;
    const usd = perRequest[name];
    if (usd !== undefined) return { promptPrice: 0, completionPrice: 0, requestPrice: usd };
    const ratio = model[name];
    if (ratio === undefined) return null;
    const prompt = ratio * usdPerRatio;
    const listed = proportionsOf(name);
    const parts: PartRates = {
      ...scaledParts(listed.parts, prompt),
      ...(cacheRead[name] !== undefined && { cacheRead: prompt * cacheRead[name] }),
      ...(cacheWrite[name] !== undefined && {
        cacheWrite: prompt * cacheWrite[name],
        cacheWrite1h: prompt * cacheWrite[name] * hourOverMinutes,
      }),
      ...(imageIn[name] !== undefined && { imageIn: prompt * imageIn[name] }),
      ...(audioIn[name] !== undefined && { audioIn: prompt * audioIn[name] }),
      ...(audioOut[name] !== undefined && { audioOut: prompt * (audioIn[name] ?? 1) * audioOut[name] }),
    };
    const completionPrice = prompt * (completion[name] ?? listed.completion ?? 1);
    return { promptPrice: prompt, completionPrice, requestPrice: 0, parts };
  };
  const ratioOf = (name: string): number => group[name] ?? 1;
  return {
    ratioOf,
    priceOf: (name, groupName) => {
      const price = said(name);
      return price && rounded(scaledPrice(price, ratioOf(groupName)));
    },
    noteOf: (name) => {
      if (hasFormula(name)) return 'its price is a formula, which has no counterpart here';
      if (perRequest[name] !== undefined || completion[name] !== undefined) return null;
      if (model[name] === undefined) return 'no ratio is stored for it';
      const times = proportionsOf(name).completion;
      return times === undefined
        ? 'no CompletionRatio is stored for it: an answer costs as much as a prompt'
        : `no CompletionRatio is stored for it: an answer costs ${Number(times.toFixed(3))} times a prompt, as in the price list here`;
    },
  };
}

/** In millionths, as bills count: ratios are binary fractions of what people wrote. */
const micro = (usd: number): number => Math.round(usd * 1e6) / 1e6;
const rounded = ({ promptPrice, completionPrice, requestPrice, parts = {} }: Price): Price => ({
  promptPrice: micro(promptPrice),
  completionPrice: micro(completionPrice),
  requestPrice: micro(requestPrice),
  parts: Object.fromEntries(Object.entries(parts).map(([part, usd]) => [part, micro(usd)])),
});

/** Relative part prices from our list: the other program's defaults are in its code, not in its database. */
function proportionsOf(name: string): { completion?: number; parts: PartRates } {
  const known = priceOf(listedBy('', name), name);
  if (!known || known.promptPrice === 0) return { parts: {} };
  const share = 1 / known.promptPrice;
  return { completion: known.completionPrice * share, parts: scaledParts(known.parts ?? {}, share) };
}

const scaledParts = (parts: PartRates, factor: number): PartRates =>
  Object.fromEntries(Object.entries(parts).map(([part, rate]) => [part, rate * factor]));
