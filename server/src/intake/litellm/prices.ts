import type { PartRates, Price } from '../../lib/money.ts';
import { table } from '../../lib/table.ts';
import { priceOf } from '../../routing/catalog/price-list.ts';
import type { DiscoveredModel } from '../../routing/catalog/provider-models.ts';
import { listedBy } from '../model.ts';
import { type Costs, costNames, type Deployment } from './config.ts';

type ModelType = NonNullable<DiscoveredModel['type']>;

const types = table<ModelType>({
  ...{ chat: 'chat', completion: 'chat', responses: 'chat', embedding: 'embedding', rerank: 'rerank' },
  ...{ image_generation: 'image', audio_transcription: 'transcription', audio_speech: 'speech' },
  ...{ moderation: 'moderation', video_generation: 'video', realtime: 'realtime' },
});

export const typeOf = ({ model_info }: Deployment): ModelType | undefined => types[model_info?.mode ?? ''];

/** In millionths, as bills count. */
const perMillion = (usd: number): number => Math.round(usd * 1e12) / 1e6;

interface UnitCost {
  cost: keyof Costs;
  /** Units there in one unit here. */
  times: number;
}

/** What a request, image, minute of audio or second of video costs, by model type. */
const unitCosts = table<UnitCost>({
  image: { cost: 'output_cost_per_image', times: 1 },
  transcription: { cost: 'input_cost_per_second', times: 60 },
  speech: { cost: 'output_cost_per_second', times: 60 },
  video: { cost: 'output_cost_per_second', times: 1 },
});
const unitOfOthers: UnitCost = { cost: 'input_cost_per_query', times: 1 };
const perUnit: ReadonlySet<string> = new Set([unitOfOthers, ...Object.values(unitCosts)].map(({ cost }) => cost));
const unitOf = (deployment: Deployment): UnitCost => unitCosts[typeOf(deployment) ?? ''] ?? unitOfOthers;

/**
 * The deployment's price in the file; null if it has none: LiteLLM's own list is not part of it. A price that cannot be
 * expressed here is none either: the model would be free.
 */
export function priceIn(deployment: Deployment, provider: string, name: string): Price | null {
  const costs: Costs = {};
  for (const cost of costNames) {
    const usd = deployment.model_info?.[cost] ?? deployment.litellm_params[cost];
    if (usd != null) costs[cost] = usd;
  }
  if (Object.keys(costs).length === 0) return null;
  const type = typeOf(deployment);
  const known = priceOf(listedBy(provider, name), name);
  const prompt =
    costs.input_cost_per_token === undefined ? (known?.promptPrice ?? 0) : perMillion(costs.input_cost_per_token);
  const answer = costs.output_cost_per_token;
  // Output without a price must not be free.
  const unsaid = type === 'embedding' ? 0 : (known?.completionPrice ?? prompt);
  const parts: PartRates = {};
  const part = (name: keyof PartRates, cost: number | undefined) => {
    if (cost !== undefined) parts[name] = perMillion(cost);
  };
  part('cacheRead', costs.cache_read_input_token_cost);
  part('cacheWrite', costs.cache_creation_input_token_cost);
  part('cacheWrite1h', costs.cache_creation_input_token_cost_above_1hr);
  part('reasoning', costs.output_cost_per_reasoning_token);
  part('audioIn', costs.input_cost_per_audio_token);
  part('audioOut', costs.output_cost_per_audio_token);
  const { cost, times } = unitOf(deployment);
  const completion = answer === undefined ? unsaid : perMillion(answer);
  const request = (costs[cost] ?? 0) * times;
  if (prompt + completion + request === 0 && costsSomething(deployment)) return null;
  return { promptPrice: prompt, completionPrice: completion, requestPrice: request, parts };
}

const read = new Set<string>(costNames);

const allCosts = ({ litellm_params, model_info }: Deployment): [string, unknown][] =>
  Object.entries({ ...litellm_params, ...model_info }).filter(([name]) => /_cost(_|$)|pricing/.test(name));

const costsSomething = (deployment: Deployment): boolean =>
  allCosts(deployment).some(([, usd]) => Number(usd) > 0 || (typeof usd === 'object' && usd !== null));

/** Prices in the file that have no counterpart here: tiers, batches, priority, units of other types and the like. */
export function otherCosts(deployment: Deployment): string[] {
  const { cost } = unitOf(deployment);
  return allCosts(deployment).flatMap(([name, usd]) => {
    const isOther = perUnit.has(name) ? name !== cost && Number(usd) > 0 : !read.has(name);
    return isOther ? [name] : [];
  });
}
