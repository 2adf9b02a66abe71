import type { Price } from '../../lib/money.ts';
import { table } from '../../lib/table.ts';
import type { ModelType } from '../../routing/candidate.ts';
import type { ModelListing } from '../../routing/catalog/listing.ts';
import { renderPricing, varyingPricing } from '../wire/pricing.ts';

/** Parameters of each type besides `model` and its input; a chat model's capabilities narrow them. */
const parametersOf: Record<ModelType, readonly string[]> = {
  chat: [
    'max_tokens',
    'temperature',
    'top_p',
    'stop',
    'stream',
    'seed',
    'frequency_penalty',
    'presence_penalty',
    'tools',
    'tool_choice',
    'response_format',
    'structured_outputs',
  ],
  embedding: ['encoding_format', 'dimensions'],
  image: ['n', 'size', 'response_format'],
  speech: ['voice', 'response_format', 'speed'],
  transcription: ['language', 'prompt', 'response_format', 'temperature', 'timestamp_granularities'],
  moderation: [],
  rerank: ['top_n', 'return_documents'],
  video: ['aspect_ratio', 'duration', 'resolution', 'size', 'generate_audio', 'seed', 'frame_images'],
  realtime: ['instructions', 'tools', 'tool_choice', 'output_modalities', 'max_output_tokens', 'audio'],
};

/** Capabilities by the parameter that needs them; a model that says `false` lacks the parameter. */
const abilityOf = table<string>({
  tools: 'tools',
  tool_choice: 'tools',
  response_format: 'json_object',
  structured_outputs: 'json_schema',
  stream: 'streaming',
});

/** `taken`: whether one of its providers supports a parameter. */
export type Taken = (parameter: string) => boolean;

export function supportedParameters({ types, capabilities }: ModelListing, taken: Taken): string[] {
  const all = (types.length === 0 ? (['chat'] as const) : types).flatMap((type) => parametersOf[type]);
  const has = (parameter: string) => capabilities[abilityOf[parameter] ?? parameter] !== false;
  return [...new Set(all)].filter((parameter) => has(parameter) && taken(parameter));
}

/** Readable by OpenAI's and Anthropic's clients alike; `price` is null if it differs from request to request. */
export function viewModel(listing: ModelListing, price: Price | null, taken: Taken) {
  return {
    id: listing.id,
    object: 'model',
    created: listing.created,
    owned_by: listing.ownedBy,
    type: 'model',
    display_name: listing.name,
    created_at: new Date(listing.created * 1000).toISOString().replace('.000Z', 'Z'),
    name: listing.name,
    types: listing.types,
    context_length: listing.contextLength || null,
    max_output_tokens: listing.maxOutputTokens || null,
    pricing: price === null ? varyingPricing : renderPricing(price),
    supported_parameters: supportedParameters(listing, taken),
    providers: listing.providers,
  };
}
