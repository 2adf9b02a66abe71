import { anthropicModels } from './models/anthropic.ts';
import { geminiModels } from './models/google.ts';
import { fireworksModels, groqModels, ollamaModels, togetherModels } from './models/hosts.ts';
import { mistralModels, xaiModels } from './models/labs.ts';
import { openaiModels } from './models/openai.ts';
import { openrouterModels } from './models/openrouter.ts';
import { type Vendor, vendorRow } from './vendor.ts';

/** How OpenAI's own servers differ from those that copy them. */
const openaiQuirks = {
  maxTokensField: 'max_completion_tokens',
  lacks: ['top_k'],
  knowsDeveloperRole: true,
  knowsHints: true,
  mostStops: 4,
  reasoning: 'effort',
  reasoningModels: /(^|\/)(o\d|gpt-[5-9]|gpt-oss|codex)/,
  reasoningBack: [],
} as const satisfies Partial<Vendor>;

/** The built-in provider; its models are in `relay/providers/demo/models.ts`. */
export const demoVendor = vendorRow({ id: 'demo', name: 'Built-in simulation', kind: 'demo' });

/** Adding a vendor is adding a row, and `bun scripts/vendor-table.ts` for the README. */
export const vendors: readonly Vendor[] = [
  vendorRow({
    id: 'openai',
    name: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    env: 'OPENAI_API_KEY',
    keyUrl: 'https://platform.openai.com/api-keys',
    keyPrefixes: ['sk-proj-', 'sk-svcacct-'],
    models: openaiModels,
    ...openaiQuirks,
  }),
  vendorRow({
    id: 'anthropic',
    name: 'Anthropic',
    kind: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    env: 'ANTHROPIC_API_KEY',
    keyUrl: 'https://platform.claude.com/settings/keys',
    keyPrefixes: ['sk-ant-'],
    models: anthropicModels,
  }),
  vendorRow({
    id: 'gemini',
    name: 'Google Gemini',
    kind: 'gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    env: 'GEMINI_API_KEY',
    keyUrl: 'https://aistudio.google.com/apikey',
    keyPrefixes: ['AIza'],
    models: geminiModels,
  }),
  vendorRow({
    id: 'openrouter',
    name: 'OpenRouter',
    kind: 'openrouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    env: 'OPENROUTER_API_KEY',
    keyUrl: 'https://openrouter.ai/settings/keys',
    keyPrefixes: ['sk-or-'],
    models: openrouterModels,
    knowsDeveloperRole: true,
    knowsTopK: true,
    knowsCacheControl: true,
    knowsUsageOption: true,
    reasoning: 'object',
    reasoningBack: ['reasoning', 'reasoning_details', 'reasoning_content'],
  }),
  vendorRow({
    id: 'groq',
    name: 'Groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    env: 'GROQ_API_KEY',
    keyUrl: 'https://console.groq.com/keys',
    keyPrefixes: ['gsk_'],
    models: groqModels,
    maxTokensField: 'max_completion_tokens',
    lacks: ['n', 'logprobs', 'top_logprobs', 'logit_bias', 'top_k'],
    reasoning: 'effort',
    reasoningModels: /gpt-oss|qwen3/,
    reasoningBack: [],
  }),
  vendorRow({
    id: 'mistral',
    name: 'Mistral AI',
    baseUrl: 'https://api.mistral.ai/v1',
    env: 'MISTRAL_API_KEY',
    keyUrl: 'https://console.mistral.ai/api-keys',
    models: mistralModels,
    asksStreamUsage: false,
    lacks: ['logprobs', 'top_logprobs', 'logit_bias', 'user', 'top_k', 'store', 'service_tier', 'metadata'],
    reasoningBack: [],
  }),
  vendorRow({
    id: 'deepseek',
    name: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com/v1',
    env: 'DEEPSEEK_API_KEY',
    keyUrl: 'https://platform.deepseek.com/api_keys',
    models: {
      // Prices of the vendor's peak hours; off peak is half.
      chat: [
        ['deepseek-v4-pro', 'DeepSeek V4 Pro', 1.32, 3.96, 1_000_000, 384_000, 0.92],
        ['deepseek-flash', 'DeepSeek V4.1 Flash', 0.3, 1.2, 1_000_000, 384_000, 0.87],
      ],
      rates: (name) => ({ cacheRead: name === 'deepseek-flash' ? 0.02 : 1 / 30 }),
    },
    lacks: ['n', 'seed', 'logit_bias', 'top_k'],
    reasoningBack: ['reasoning_content'],
  }),
  vendorRow({
    id: 'xai',
    name: 'xAI',
    baseUrl: 'https://api.x.ai/v1',
    env: 'XAI_API_KEY',
    keyUrl: 'https://console.x.ai',
    keyPrefixes: ['xai-'],
    models: xaiModels,
    maxTokensField: 'max_completion_tokens',
    knowsDeveloperRole: true,
    lacks: ['logit_bias', 'top_k'],
    reasoning: 'effort',
    reasoningModels: /grok-3-mini/,
  }),
  vendorRow({
    id: 'ollama',
    name: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    // Whatever else runs on this machine is not Ollama.
    hosts: [],
    env: 'OLLAMA_BASE_URL',
    models: ollamaModels,
    lacks: ['n', 'logprobs', 'top_logprobs', 'logit_bias', 'user'],
  }),
  vendorRow({
    id: 'together',
    name: 'Together AI',
    baseUrl: 'https://api.together.xyz/v1',
    hosts: ['api.together.xyz', 'api.together.ai'],
    env: 'TOGETHER_API_KEY',
    keyUrl: 'https://api.together.ai/settings/api-keys',
    keyPrefixes: ['tgp_'],
    models: togetherModels,
    knowsTopK: true,
  }),
  vendorRow({
    id: 'fireworks',
    name: 'Fireworks AI',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    env: 'FIREWORKS_API_KEY',
    keyUrl: 'https://app.fireworks.ai/settings/users/api-keys',
    keyPrefixes: ['fw_'],
    models: fireworksModels,
    knowsTopK: true,
  }),
  vendorRow({
    id: 'cerebras',
    name: 'Cerebras',
    baseUrl: 'https://api.cerebras.ai/v1',
    env: 'CEREBRAS_API_KEY',
    keyUrl: 'https://cloud.cerebras.ai',
    keyPrefixes: ['csk-'],
    models: { chat: [[['openai/gpt-oss-120b', 'gpt-oss-120b'], 'GPT-OSS 120B', 0.35, 0.75, 131_072, 32_768, 0.82]] },
    maxTokensField: 'max_completion_tokens',
    lacks: ['n', 'frequency_penalty', 'presence_penalty', 'logit_bias', 'top_k'],
    reasoning: 'effort',
    reasoningModels: /gpt-oss/,
  }),
  vendorRow({
    id: 'perplexity',
    name: 'Perplexity',
    baseUrl: 'https://api.perplexity.ai',
    env: 'PERPLEXITY_API_KEY',
    keyUrl: 'https://www.perplexity.ai/settings/api',
    keyPrefixes: ['pplx-'],
    models: {
      chat: [
        ['sonar', 'Sonar', 1, 1, 127_072, 8_000, 0.78],
        ['sonar-pro', 'Sonar Pro', 3, 15, 200_000, 8_000, 0.84],
        ['sonar-reasoning-pro', 'Sonar Reasoning Pro', 3, 15, 128_000, 8_000, 0.86],
      ],
      // The fee for the search that comes with every request.
      rates: () => ({ request: 0.005 }),
    },
    asksStreamUsage: false,
    mergesSystem: true,
    knowsTopK: true,
    lacks: [
      ...['n', 'logprobs', 'top_logprobs', 'logit_bias', 'seed', 'stop'],
      ...['tools', 'tool_choice', 'parallel_tool_calls'],
    ],
  }),
  vendorRow({
    id: 'cohere',
    name: 'Cohere',
    baseUrl: 'https://api.cohere.ai/compatibility/v1',
    env: 'COHERE_API_KEY',
    keyUrl: 'https://dashboard.cohere.com/api-keys',
    models: {
      chat: [
        ['command-r-08-2024', 'Command R', 0.15, 0.6, 128_000, 4_000, 0.65],
        ['command-r7b-12-2024', 'Command R7B', 0.0375, 0.15, 128_000, 4_000, 0.58],
      ],
      embedding: [['embed-v4.0', 'Embed 4', 0.12, 128_000]],
    },
  }),
  // The same vendor at its own address, where reranking lives.
  vendorRow({
    id: 'cohere-rerank',
    name: 'Cohere Rerank',
    baseUrl: 'https://api.cohere.com/v2',
    env: 'COHERE_API_KEY',
    keyUrl: 'https://dashboard.cohere.com/api-keys',
    models: {
      rerank: [
        [['cohere/rerank-v4.0-pro', 'rerank-v4.0-pro'], 'Rerank 4 Pro', 0.0025, 0, 32_768],
        [['cohere/rerank-v4.0-fast', 'rerank-v4.0-fast'], 'Rerank 4 Fast', 0.002, 0, 32_768],
      ],
    },
  }),
  vendorRow({
    id: 'jina',
    name: 'Jina AI',
    baseUrl: 'https://api.jina.ai/v1',
    env: 'JINA_API_KEY',
    keyUrl: 'https://jina.ai/api-dashboard',
    keyPrefixes: ['jina_'],
    models: {
      embedding: [['jina-embeddings-v4', 'Jina Embeddings v4', 0.05, 32_768]],
      rerank: [['jina-reranker-v3', 'Jina Reranker v3', 0, 0.05, 131_072]],
    },
  }),
  vendorRow({
    id: 'moonshot',
    name: 'Moonshot AI',
    baseUrl: 'https://api.moonshot.ai/v1',
    hosts: ['api.moonshot.ai', 'api.moonshot.cn'],
    env: 'MOONSHOT_API_KEY',
    keyUrl: 'https://platform.moonshot.ai/console/api-keys',
    models: {
      chat: [[['moonshotai/kimi-k2.6', 'kimi-k2.6'], 'Kimi K2.6', 0.95, 4, 262_144, 65_536, 0.9]],
      rates: () => ({ cacheRead: 0.16 / 0.95 }),
    },
    lacks: ['logprobs', 'top_logprobs', 'logit_bias', 'top_k'],
  }),
  vendorRow({
    id: 'sambanova',
    name: 'SambaNova',
    baseUrl: 'https://api.sambanova.ai/v1',
    env: 'SAMBANOVA_API_KEY',
    keyUrl: 'https://cloud.sambanova.ai',
    models: {
      chat: [
        [['openai/gpt-oss-120b', 'gpt-oss-120b'], 'GPT-OSS 120B', 0.22, 0.59, 131_072, 32_768, 0.82],
        [
          ['meta-llama/llama-3.3-70b-instruct', 'Meta-Llama-3.3-70B-Instruct'],
          'Llama 3.3 70B',
          ...([0.6, 1.2, 131_072, 8_192, 0.7] as const),
        ],
      ],
    },
    lacks: ['n', 'logprobs', 'top_logprobs', 'logit_bias', 'frequency_penalty', 'presence_penalty'],
    knowsTopK: true,
    reasoning: 'effort',
    reasoningModels: /gpt-oss/,
  }),
  // From here on: recognised by their address only, as no list price or no one address is known.
  vendorRow({
    id: 'azure',
    name: 'Azure OpenAI',
    hosts: ['openai.azure.com'],
    ...openaiQuirks,
    authHeader: 'api-key',
  }),
  vendorRow({
    id: 'google-openai',
    name: 'Gemini (OpenAI-compatible)',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    lacks: ['logprobs', 'top_logprobs', 'logit_bias', 'seed', 'top_k'],
    reasoning: 'effort',
    reasoningModels: /gemini-(2\.5|[3-9])/,
    reasoningBack: ['extra_content'],
  }),
  vendorRow({
    id: 'nvidia',
    name: 'NVIDIA NIM',
    baseUrl: 'https://integrate.api.nvidia.com/v1',
    mergesSystem: true,
  }),
  demoVendor,
];
