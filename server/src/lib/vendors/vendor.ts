/** Wire protocols of upstreams. `openrouter` differs from `openai` only in its video endpoints. */
export const channelKinds = ['openai', 'anthropic', 'gemini', 'openrouter', 'bedrock', 'vertex', 'demo'] as const;
export type ChannelKind = (typeof channelKinds)[number];

/**
 * Everything known about a vendor. Configuration, presets, recognition, prices and the README's table derive from it.
 */
export interface Vendor extends Quirks {
  /** Also the `provider` of its channels. */
  id: string;
  name: string;
  /** Selects its adapters: `relay/providers/<kind>.ts` and, for videos, `video/upstreams/<kind>.ts`. */
  kind: ChannelKind;
  baseUrl: string;
  /** Hosts, including subdomains, by which a base URL is recognised; by default that of `baseUrl`. */
  hosts: readonly string[];
  /** Environment variable that creates its channel at startup; holds the key, or the address if no key is needed. */
  env: string;
  /** Where to get a key; empty if none is needed. */
  keyUrl: string;
  /** Prefixes of its keys that no other vendor uses. */
  keyPrefixes: readonly string[];
  /** Models of a channel made from its preset. A vendor without models is recognised, but has no preset. */
  models: Models;
}

/** How an OpenAI-compatible vendor deviates from the format. */
interface Quirks {
  /** The output limit field that all of its models accept. */
  maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Whether usage in streams must be requested; vendors that always send it may refuse the option. */
  asksStreamUsage: boolean;
  /**
   * Unsupported parameters. They are dropped, except for those that must not be ignored: see `refusable` in
   * `providers/openai/rewrite.ts`.
   */
  lacks: readonly string[];
  /** Accepts a single system message, at the front. */
  mergesSystem: boolean;
  /** Refuses messages that OpenAI accepts: see `providers/openai/message-rules.ts`. */
  messageRules?: 'known_members' | 'mistral' | 'alternating' | 'thoughts';
  /** Parameters under another name. */
  renames?: Readonly<Record<string, string>>;
  /** Fetches no images. */
  wantsImageData?: true;
  /** Knows JSON as a response format, but no schemas. */
  lacksSchemas?: true;
  /** How a call that must be made is asked for by model, if models that think refuse it. */
  forcedCalls?: (modelName: string) => 'without_thinking' | 'in_words' | undefined;
  /** The highest temperature, if it is not 2. */
  mostTemperature?: number;
  knowsDeveloperRole: boolean;
  knowsTopK: boolean;
  /** Accepts `cache_control` on parts. */
  knowsCacheControl: boolean;
  /** Accepts OpenRouter's options, such as `usage: {include: true}`; others refuse them. */
  knowsOpenrouter: boolean;
  /** Accepts `prompt_cache_key`, `service_tier` and the like; others refuse them. */
  knowsHints: boolean;
  /** Models that accept free-text tools (`custom`) in chats: OpenAI's, wherever they are served. Others refuse them. */
  customToolModels: RegExp;
  /** The most stop sequences, and inputs of one request for embeddings, that it accepts. */
  mostStops?: number;
  mostEmbeddings?: number;
  /** How reasoning is requested: not at all, by `reasoning_effort`, or by OpenRouter's `reasoning` object. */
  reasoning: 'none' | 'effort' | 'object';
  /** Models that accept `reasoning_effort`; others refuse it. */
  reasoningModels?: RegExp;
  /** Message fields in which it accepts earlier reasoning. */
  reasoningBack: readonly ('reasoning_content' | 'reasoning' | 'reasoning_details' | 'extra_content')[];
  /** Header of the credential, if it is not a bearer token. */
  authHeader?: string;
}

/** Upstream name, or `[public id, upstream name]` if the vendor serves another vendor's model. */
export type Model = string | [id: string, upstream: string];

/** A model priced by prompt and completion tokens. */
type TokenModel = [
  model: Model,
  name: string,
  prompt: number,
  completion: number,
  context: number,
  output: number,
  quality: number,
];

/** Models by type; USD per million tokens, and per image, minute of audio, second of video or request. */
export interface Models {
  chat?: TokenModel[];
  embedding?: [model: Model, name: string, prompt: number, context: number][];
  image?: [model: Model, name: string, perImage: number][];
  speech?: [model: Model, name: string, perMinute: number][];
  transcription?: [model: Model, name: string, perMinute: number][];
  moderation?: [model: Model, name: string][];
  rerank?: [model: Model, name: string, perRequest: number, prompt: number, context: number][];
  video?: [model: Model, name: string, perSecond: number, capabilities: VideoCapabilities][];
  realtime?: TokenModel[];
  /** Models of other vendors resold at their price: public id and upstream name. */
  resold?: Readonly<Record<string, string>>;
  /** Including web searches run by their vendors, at the same price. */
  resellsSearch?: true;
  /** How web searches are requested: in the Responses format, or in chats with OpenRouter's tool. */
  searchesIn?: 'responses' | 'openrouter';
  /** Models that search in chats by `web_search_options`, at least once per answer. */
  searchModels?: RegExp;
  /** Further prices of a chat or realtime model, by upstream name. */
  rates?: (modelName: string) => Rates | undefined;
  /** Capabilities of a chat model, by upstream name, for its catalog entry. */
  abilities?: (modelName: string) => Abilities | undefined;
}

/** Flags of a chat model in its `capabilities`. */
export interface Abilities {
  /** Has `/v1/responses`: requests in that format are forwarded as they are. */
  responses?: true;
  /** Accepts functions together with reasoning only there: its chat endpoint refuses them. */
  tools_in_responses?: true;
}

/** A vendor's prices for parts of a request, and for long prompts. */
export interface Rates {
  /** As fractions of the prompt's price. */
  cacheRead?: number;
  cacheWrite?: number;
  cacheWrite1h?: number;
  /** In USD per million tokens. */
  audioIn?: number;
  audioOut?: number;
  /** In USD, per request and per web search run by the vendor. */
  request?: number;
  search?: number;
  /** Above this context the prompt, its caches and the completion cost this many times as much. */
  long?: { above: number; prompt: number; completion: number };
}

/** What the listing of video models says of each. */
export interface VideoCapabilities {
  supported_aspect_ratios: string[];
  supported_resolutions: string[];
  supported_durations: number[];
  supported_sizes: string[];
  supported_frame_images: string[];
  generate_audio: boolean;
  seed: boolean;
}

/** Any OpenAI-compatible server of which nothing else is known. */
export const compatible: Vendor = {
  id: 'compatible',
  name: 'OpenAI-compatible server',
  kind: 'openai',
  baseUrl: '',
  hosts: [],
  env: '',
  keyUrl: '',
  keyPrefixes: [],
  models: {},
  maxTokensField: 'max_tokens',
  asksStreamUsage: true,
  lacks: [],
  mergesSystem: false,
  knowsDeveloperRole: false,
  knowsTopK: false,
  knowsCacheControl: false,
  knowsOpenrouter: false,
  knowsHints: false,
  customToolModels: /(^|\/)(gpt-[5-9]|codex)/,
  reasoning: 'none',
  reasoningBack: ['reasoning_content', 'reasoning'],
};

/** A row of the table; defaults are those of any OpenAI-compatible server. */
export const vendorRow = (row: Partial<Vendor> & Pick<Vendor, 'id' | 'name'>): Vendor => ({
  ...compatible,
  hosts: row.baseUrl ? [new URL(row.baseUrl).hostname] : [],
  ...row,
});
