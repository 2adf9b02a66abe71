/** Ways of speaking to an upstream. `openrouter` differs from `openai` in its video endpoints only. */
export const channelKinds = ['openai', 'anthropic', 'gemini', 'openrouter', 'bedrock', 'vertex', 'demo'] as const;
export type ChannelKind = (typeof channelKinds)[number];

/** All that is a fact about one vendor. Configuration, presets, recognition, prices and the README's table follow. */
export interface Vendor extends Quirks {
  /** Also the `provider` of its channels. */
  id: string;
  name: string;
  /** Names its adapters: `relay/providers/<kind>.ts` and, where it makes videos, `video/upstreams/<kind>.ts`. */
  kind: ChannelKind;
  baseUrl: string;
  /** Hosts, with whatever is below them, by which a base URL is recognised; that of `baseUrl` unless given. */
  hosts: readonly string[];
  /** Variable that makes its channel at start; holds the key, or the address where no key is needed. */
  env: string;
  /** Where to get a key; empty where none is needed. */
  keyUrl: string;
  /** How its keys begin, where no other vendor's do. */
  keyPrefixes: readonly string[];
  /** What a channel made from its preset serves. A vendor without models is recognised, but has no preset. */
  models: Models;
}

/** How an OpenAI-compatible vendor differs from the format. */
interface Quirks {
  /** The one field for the output limit that all of its models know. */
  maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Whether usage in streams must be asked for; vendors that always send it may refuse the question. */
  asksStreamUsage: boolean;
  /** Parameters it refuses. They are dropped, but for those that cannot be ignored: see `refusable` in `providers/openai/rewrite.ts`. */
  lacks: readonly string[];
  /** Takes one system message, at the front. */
  mergesSystem: boolean;
  knowsDeveloperRole: boolean;
  knowsTopK: boolean;
  /** Takes `cache_control` on parts. */
  knowsCacheControl: boolean;
  /** Takes `usage: {include: true}`; others refuse the request for it. */
  knowsUsageOption: boolean;
  /** Takes `prompt_cache_key`, `service_tier` and the like; others refuse the request for them. */
  knowsHints: boolean;
  /** Models that take tools with text instead of JSON (`custom`) in chats: OpenAI's, wherever they are served. Others refuse the request. */
  customToolModels: RegExp;
  /** Stop sequences that it takes; more are refused. */
  mostStops?: number;
  /** How thinking is asked for: nothing, `reasoning_effort`, or OpenRouter's `reasoning` object. */
  reasoning: 'none' | 'effort' | 'object';
  /** Models that accept `reasoning_effort`; others refuse the request for it. */
  reasoningModels?: RegExp;
  /** Thinking given back inside messages that it understands. */
  reasoningBack: readonly ('reasoning_content' | 'reasoning' | 'reasoning_details' | 'extra_content')[];
  /** Header of the credential when it is not a bearer token. */
  authHeader?: string;
}

/** Upstream name, or `[public id, upstream name]` where the vendor serves another vendor's model. */
export type Model = string | [id: string, upstream: string];

/** One that is paid by the tokens of prompt and answer. */
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
  /** Models of other vendors resold at their price: public id and the name they have here. */
  resold?: Readonly<Record<string, string>>;
  /** With the searches of the web that their vendors run, at the same price. */
  resellsSearch?: true;
  /** Where they search the web as they are asked: in the Responses format, or in chats by a tool of OpenRouter's. */
  searchesIn?: 'responses' | 'openrouter';
  /** Those that do so in chats by `web_search_options`, once for each answer at least. */
  searchModels?: RegExp;
  /** What else a model of chat or of realtime sessions costs, by its upstream name. */
  rates?: (modelName: string) => Rates | undefined;
  /** What a chat model can, by its upstream name: flags of its row in the catalog. */
  abilities?: (modelName: string) => Abilities | undefined;
}

/** Flags of a chat model among its `capabilities`. */
export interface Abilities {
  /** Has `/v1/responses`: requests in that format go there as they came. */
  responses?: true;
  /** Takes functions together with reasoning there alone: its chat endpoint refuses them. */
  tools_in_responses?: true;
}

/** What a vendor asks for the parts of a model, and for long prompts. */
export interface Rates {
  /** As shares of the price of the prompt. */
  cacheRead?: number;
  cacheWrite?: number;
  cacheWrite1h?: number;
  /** In USD per million tokens. */
  audioIn?: number;
  audioOut?: number;
  /** In USD, for each request, and for each search of the web that the vendor runs. */
  request?: number;
  search?: number;
  /** Above this context the prompt, its caches and the completion cost so many times as much. */
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

/** Any OpenAI-compatible server, of which nothing else is known. */
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
  knowsUsageOption: false,
  knowsHints: false,
  customToolModels: /(^|\/)(gpt-[5-9]|codex)/,
  reasoning: 'none',
  reasoningBack: ['reasoning_content', 'reasoning'],
};

/** A row of the table: what is not said is as with any OpenAI-compatible server. */
export const vendorRow = (row: Partial<Vendor> & Pick<Vendor, 'id' | 'name'>): Vendor => ({
  ...compatible,
  hosts: row.baseUrl ? [new URL(row.baseUrl).hostname] : [],
  ...row,
});
