import { bedrockModels } from './models/amazon.ts';
import { anthropicModels } from './models/anthropic.ts';
import { geminiModels, vertexModels } from './models/google.ts';
import { fireworksModels, groqModels, ollamaModels, sambanovaModels, togetherModels } from './models/hosts.ts';
import {
  cohereModels,
  cohereRerankModels,
  deepseekModels,
  mistralModels,
  moonshotModels,
  perplexityModels,
  xaiModels,
  zaiModels,
} from './models/labs.ts';
import { openaiModels } from './models/openai.ts';
import { openrouterModels } from './models/openrouter.ts';
import { type Vendor, vendorRow } from './vendor.ts';

/** How OpenAI's own servers differ from compatible ones. */
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

/** What a request can ask or say about the likelihood of single tokens. */
const tokenOdds = ['logprobs', 'top_logprobs', 'logit_bias'];

/** Later ones than K2.6 of the K2 line always think; K3 takes both together. */
const byKimi: Vendor['forcedCalls'] = (name) =>
  /k2\.[56]/.test(name) ? 'without_thinking' : name.includes('k2') ? 'in_words' : undefined;
const penalties = ['frequency_penalty', 'presence_penalty'];
const sampling = ['temperature', 'top_p', ...penalties];
/** For the vendor's own books, caches and checks. */
const bookkeeping = ['user', 'safety_identifier', 'metadata', 'store', 'prompt_cache_key', 'prompt_cache_retention'];

/** The built-in provider; its models are in `relay/providers/demo/models.ts`. */
export const demoVendor = vendorRow({ id: 'demo', name: 'Built-in simulation', kind: 'demo' });

/** To add a vendor, add a row and run `bun scripts/vendor-table.ts` for the README. */
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
    id: 'vertex',
    name: 'Google Vertex AI',
    kind: 'vertex',
    baseUrl: 'https://aiplatform.googleapis.com/v1',
    env: 'VERTEX_CREDENTIALS',
    keyUrl: 'https://console.cloud.google.com/iam-admin/serviceaccounts',
    keyPrefixes: ['{'],
    models: vertexModels,
  }),
  vendorRow({
    id: 'bedrock',
    name: 'Amazon Bedrock',
    kind: 'bedrock',
    baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com',
    env: 'AWS_BEARER_TOKEN_BEDROCK',
    keyUrl: 'https://console.aws.amazon.com/bedrock/home#/api-keys',
    keyPrefixes: ['ABSK', 'bedrock-api-key-', 'AKIA', 'ASIA'],
    models: bedrockModels,
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
    knowsOpenrouter: true,
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
    ...{ models: groqModels, messageRules: 'known_members' },
    maxTokensField: 'max_completion_tokens',
    lacks: ['n', ...tokenOdds, 'top_k'],
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
    ...{ asksStreamUsage: false, mergesSystem: true, messageRules: 'mistral' },
    ...{ renames: { seed: 'random_seed' }, mostTemperature: 1.5, mostEmbeddings: 512 },
    lacks: [...tokenOdds, ...bookkeeping, 'top_k', 'service_tier', 'reasoning', 'verbosity'],
    reasoningBack: [],
  }),
  vendorRow({
    id: 'deepseek',
    name: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com/v1',
    env: 'DEEPSEEK_API_KEY',
    keyUrl: 'https://platform.deepseek.com/api_keys',
    models: deepseekModels,
    ...{ lacks: ['n', 'seed', 'logit_bias', 'top_k'], lacksSchemas: true, forcedCalls: () => 'without_thinking' },
    ...{ messageRules: 'thoughts', reasoningBack: ['reasoning_content'] },
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
    lacks: ['logit_bias', 'top_k', ...penalties],
    ...{ reasoning: 'effort', reasoningModels: /grok-3-mini/ },
  }),
  vendorRow({
    id: 'ollama',
    name: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    // Other servers on localhost are not Ollama.
    hosts: [],
    env: 'OLLAMA_BASE_URL',
    ...{ models: ollamaModels, wantsImageData: true },
    lacks: ['n', ...tokenOdds, 'user'],
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
    ...{ models: fireworksModels, messageRules: 'known_members' },
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
    ...{ messageRules: 'known_members', maxTokensField: 'max_completion_tokens' },
    lacks: ['n', ...penalties, 'logit_bias', 'top_k'],
    ...{ reasoning: 'effort', reasoningModels: /gpt-oss/ },
  }),
  vendorRow({
    id: 'perplexity',
    name: 'Perplexity',
    baseUrl: 'https://api.perplexity.ai',
    env: 'PERPLEXITY_API_KEY',
    keyUrl: 'https://www.perplexity.ai/settings/api',
    keyPrefixes: ['pplx-'],
    models: perplexityModels,
    ...{ asksStreamUsage: false, mergesSystem: true, messageRules: 'alternating', knowsTopK: true },
    lacks: ['n', ...tokenOdds, 'seed', 'stop', 'tools', 'tool_choice', 'parallel_tool_calls'],
  }),
  vendorRow({
    id: 'cohere',
    name: 'Cohere',
    baseUrl: 'https://api.cohere.ai/compatibility/v1',
    env: 'COHERE_API_KEY',
    keyUrl: 'https://dashboard.cohere.com/api-keys',
    ...{ models: cohereModels, mostTemperature: 1, mostEmbeddings: 96 },
  }),
  // The same vendor at its native address, which has reranking.
  vendorRow({
    id: 'cohere-rerank',
    name: 'Cohere Rerank',
    baseUrl: 'https://api.cohere.com/v2',
    env: 'COHERE_API_KEY',
    keyUrl: 'https://dashboard.cohere.com/api-keys',
    models: cohereRerankModels,
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
    ...{ models: moonshotModels, wantsImageData: true, forcedCalls: byKimi, messageRules: 'thoughts' },
    lacks: [...tokenOdds, ...sampling, 'top_k'],
  }),
  vendorRow({
    id: 'sambanova',
    name: 'SambaNova',
    baseUrl: 'https://api.sambanova.ai/v1',
    env: 'SAMBANOVA_API_KEY',
    keyUrl: 'https://cloud.sambanova.ai',
    models: sambanovaModels,
    lacks: ['n', ...tokenOdds, ...penalties],
    ...{ knowsTopK: true, reasoning: 'effort', reasoningModels: /gpt-oss/ },
  }),
  vendorRow({
    id: 'zai',
    name: 'Z.ai',
    baseUrl: 'https://api.z.ai/api/paas/v4',
    env: 'ZAI_API_KEY',
    keyUrl: 'https://z.ai/manage-apikey/apikey-list',
    models: zaiModels,
    lacks: ['n', 'seed', ...tokenOdds, ...penalties, 'top_k'],
    ...{ mostStops: 1, mostTemperature: 1, lacksSchemas: true, forcedCalls: () => 'in_words' },
    reasoningBack: ['reasoning_content'],
  }),
  // The rest is recognised by host only: there is no list price, or no single address.
  vendorRow({
    id: 'azure',
    name: 'Azure OpenAI',
    ...openaiQuirks,
    // Deployment names are chosen by their owners.
    ...{ hosts: ['openai.azure.com'], authHeader: 'api-key', customToolModels: /^/ },
  }),
  vendorRow({
    id: 'google-openai',
    name: 'Gemini (OpenAI-compatible)',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    lacks: [...tokenOdds, 'seed', 'top_k'],
    reasoning: 'effort',
    reasoningModels: /gemini-(2\.5|[3-9])/,
    ...{ reasoningBack: ['extra_content'], mostEmbeddings: 100 },
  }),
  vendorRow({
    id: 'nvidia',
    name: 'NVIDIA NIM',
    ...{ baseUrl: 'https://integrate.api.nvidia.com/v1', mergesSystem: true },
  }),
  demoVendor,
];
