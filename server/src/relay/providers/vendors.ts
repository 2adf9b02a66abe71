/** How an OpenAI-compatible vendor differs from the format. Adding a vendor is adding a row. */
export interface Vendor {
  id: string;
  name: string;
  baseUrl: string;
  /** Environment variable that holds its key; `OLLAMA_BASE_URL` holds an address instead. */
  envKey?: string;
  /** The one field for the output limit that all of its models know (fidelity 18). */
  maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Whether usage in streams must be asked for; vendors that always send it may refuse the question. */
  asksStreamUsage: boolean;
  /** Parameters it refuses. They are dropped, but for `n` above 1, which cannot be ignored (fidelity 28). */
  lacks: readonly string[];
  /** Takes one system message, at the front (fidelity 24). */
  mergesSystem: boolean;
  knowsDeveloperRole: boolean;
  knowsTopK: boolean;
  /** Takes `cache_control` on parts. */
  knowsCacheControl: boolean;
  /** How thinking is asked for: nothing, `reasoning_effort`, or OpenRouter's `reasoning` object. */
  reasoning: 'none' | 'effort' | 'object';
  /** Models that accept `reasoning_effort`; others refuse the request for it. */
  reasoningModels?: RegExp;
  /** Thinking given back inside messages that it understands. */
  reasoningBack: readonly ('reasoning_content' | 'reasoning' | 'reasoning_details' | 'extra_content')[];
  /** Header of the credential when it is not a bearer token. */
  authHeader?: string;
  /** Part of the host name by which a base URL is recognised. */
  host?: string;
}

const compatible: Vendor = {
  id: 'compatible',
  name: 'OpenAI-compatible server',
  baseUrl: '',
  maxTokensField: 'max_tokens',
  asksStreamUsage: true,
  lacks: [],
  mergesSystem: false,
  knowsDeveloperRole: false,
  knowsTopK: false,
  knowsCacheControl: false,
  reasoning: 'none',
  reasoningBack: ['reasoning_content', 'reasoning'],
};

const row = (vendor: Partial<Vendor> & Pick<Vendor, 'id' | 'name' | 'baseUrl'>): Vendor => ({
  ...compatible,
  ...vendor,
});

/** OpenAI's reasoning models; also how they are recognised behind servers we do not know. */
const openaiReasoning = /(^|\/)(o\d|gpt-5|gpt-oss|codex)/;

export const vendors: readonly Vendor[] = [
  row({
    id: 'openai',
    name: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    envKey: 'OPENAI_API_KEY',
    host: 'api.openai.com',
    maxTokensField: 'max_completion_tokens',
    lacks: ['top_k'],
    knowsDeveloperRole: true,
    reasoning: 'effort',
    reasoningModels: openaiReasoning,
    reasoningBack: [],
  }),
  row({
    id: 'azure',
    name: 'Azure OpenAI',
    baseUrl: '',
    host: '.openai.azure.com',
    maxTokensField: 'max_completion_tokens',
    lacks: ['top_k'],
    knowsDeveloperRole: true,
    reasoning: 'effort',
    reasoningModels: openaiReasoning,
    reasoningBack: [],
    authHeader: 'api-key',
  }),
  row({
    id: 'openrouter',
    name: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    envKey: 'OPENROUTER_API_KEY',
    host: 'openrouter.ai',
    knowsDeveloperRole: true,
    knowsTopK: true,
    knowsCacheControl: true,
    reasoning: 'object',
    reasoningBack: ['reasoning', 'reasoning_details', 'reasoning_content'],
  }),
  row({
    id: 'groq',
    name: 'Groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    envKey: 'GROQ_API_KEY',
    host: 'api.groq.com',
    maxTokensField: 'max_completion_tokens',
    lacks: ['n', 'logprobs', 'top_logprobs', 'logit_bias', 'top_k'],
    reasoning: 'effort',
    reasoningModels: /gpt-oss|qwen3/,
    reasoningBack: [],
  }),
  row({
    id: 'mistral',
    name: 'Mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    envKey: 'MISTRAL_API_KEY',
    host: 'api.mistral.ai',
    asksStreamUsage: false,
    lacks: ['logprobs', 'top_logprobs', 'logit_bias', 'user', 'top_k', 'store', 'service_tier', 'metadata'],
    reasoningBack: [],
  }),
  row({
    id: 'deepseek',
    name: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com/v1',
    envKey: 'DEEPSEEK_API_KEY',
    host: 'api.deepseek.com',
    lacks: ['n', 'seed', 'logit_bias', 'top_k'],
    reasoningBack: ['reasoning_content'],
  }),
  row({
    id: 'xai',
    name: 'xAI',
    baseUrl: 'https://api.x.ai/v1',
    envKey: 'XAI_API_KEY',
    host: 'api.x.ai',
    maxTokensField: 'max_completion_tokens',
    knowsDeveloperRole: true,
    lacks: ['logit_bias', 'top_k'],
    reasoning: 'effort',
    reasoningModels: /grok-3-mini/,
  }),
  row({
    id: 'ollama',
    name: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    envKey: 'OLLAMA_BASE_URL',
    lacks: ['n', 'logprobs', 'top_logprobs', 'logit_bias', 'user'],
  }),
  row({
    id: 'together',
    name: 'Together',
    baseUrl: 'https://api.together.xyz/v1',
    envKey: 'TOGETHER_API_KEY',
    host: 'api.together.',
    knowsTopK: true,
  }),
  row({
    id: 'fireworks',
    name: 'Fireworks',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    envKey: 'FIREWORKS_API_KEY',
    host: 'api.fireworks.ai',
    knowsTopK: true,
  }),
  row({
    id: 'cerebras',
    name: 'Cerebras',
    baseUrl: 'https://api.cerebras.ai/v1',
    envKey: 'CEREBRAS_API_KEY',
    host: 'api.cerebras.ai',
    maxTokensField: 'max_completion_tokens',
    lacks: ['n', 'frequency_penalty', 'presence_penalty', 'logit_bias', 'top_k'],
    reasoning: 'effort',
    reasoningModels: /gpt-oss/,
  }),
  row({
    id: 'perplexity',
    name: 'Perplexity',
    baseUrl: 'https://api.perplexity.ai',
    envKey: 'PERPLEXITY_API_KEY',
    host: 'api.perplexity.ai',
    asksStreamUsage: false,
    mergesSystem: true,
    knowsTopK: true,
    lacks: [
      'n',
      'logprobs',
      'top_logprobs',
      'logit_bias',
      'seed',
      'stop',
      'tools',
      'tool_choice',
      'parallel_tool_calls',
    ],
  }),
  row({
    id: 'google-openai',
    name: 'Gemini (OpenAI-compatible)',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    host: 'generativelanguage.googleapis.com',
    lacks: ['logprobs', 'top_logprobs', 'logit_bias', 'seed', 'top_k'],
    reasoning: 'effort',
    reasoningModels: /gemini-(2\.5|[3-9])/,
    reasoningBack: ['extra_content'],
  }),
  row({
    id: 'nvidia',
    name: 'NVIDIA NIM',
    baseUrl: 'https://integrate.api.nvidia.com/v1',
    envKey: 'NVIDIA_API_KEY',
    host: 'integrate.api.nvidia.com',
    mergesSystem: true,
  }),
  row({
    id: 'moonshot',
    name: 'Moonshot',
    baseUrl: 'https://api.moonshot.ai/v1',
    envKey: 'MOONSHOT_API_KEY',
    host: 'api.moonshot.',
    lacks: ['logprobs', 'top_logprobs', 'logit_bias', 'top_k'],
  }),
];

/** The row of a channel: by its provider's name, else by its address, else a server of which nothing is known. */
export function vendorOf(provider: string | undefined, baseUrl: string): Vendor {
  const known = found.get(baseUrl);
  if (known && known.provider === provider) return known.vendor;
  if (found.size >= mostFound) found.clear();
  const vendor = findVendor(provider?.toLowerCase(), hostOf(baseUrl));
  found.set(baseUrl, { provider, vendor });
  return vendor;
}

/** The table never changes while the process runs; parsing a channel's address for every request would be waste. */
const found = new Map<string, { provider: string | undefined; vendor: Vendor }>();
const mostFound = 1_000;

const findVendor = (name: string | undefined, host: string): Vendor =>
  vendors.find((vendor) => vendor.id === name) ??
  vendors.find((vendor) => vendor.host !== undefined && host.includes(vendor.host)) ??
  compatible;

const hostOf = (baseUrl: string): string => (URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '');

const reasoningModel = /(^|\/)(o\d|gpt-5)/;

/** Reasoning models of OpenAI refuse `max_tokens` wherever they are served. */
export const maxTokensField = (vendor: Vendor, modelName: string): Vendor['maxTokensField'] =>
  vendor.id === 'compatible' && reasoningModel.test(modelName) ? 'max_completion_tokens' : vendor.maxTokensField;
