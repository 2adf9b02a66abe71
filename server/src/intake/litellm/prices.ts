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

/** Price per request, image, minute of audio or second of video, by model type. */
function requestPrice(costs: Costs, type: ModelType | undefined): number {
  const { input_cost_per_second: heard, output_cost_per_second: made } = costs;
  const minute = (heard ?? 0) * 60;
  if (type === 'image') return costs.output_cost_per_image ?? 0;
  if (type === 'transcription') return minute;
  if (type === 'speech') return (made ?? 0) * 60;
  if (type === 'video') return made ?? 0;
  return costs.input_cost_per_query ?? 0;
}

/** The deployment's price in the file; null if it has none: LiteLLM's own list is not part of it. */
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
  return {
    promptPrice: prompt,
    completionPrice: answer === undefined ? unsaid : perMillion(answer),
    requestPrice: requestPrice(costs, type),
    parts,
  };
}

const read = new Set<string>(costNames);

/** Prices in the file that have no counterpart here: tiers, batches, priority and the like. */
export const otherCosts = ({ litellm_params, model_info }: Deployment): string[] =>
  Object.keys({ ...litellm_params, ...model_info }).filter(
    (name) => /_cost(_|$)|pricing/.test(name) && !read.has(name),
  );
