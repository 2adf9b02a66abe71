import type { ChannelKind } from '../candidate.ts';
import { pricesOf } from './price-list.ts';

/** All that is needed to add a provider with nothing but its key. */
export interface Preset {
  /** Also the `provider` of the channel. */
  id: string;
  name: string;
  kind: ChannelKind;
  baseUrl: string;
  /** Environment variable that creates the channel at start; holds the key, or the address where no key is needed. */
  env: string;
  needsKey: boolean;
  /** Where to get a key. */
  keyUrl: string;
}

const rows: [id: string, name: string, kind: ChannelKind, baseUrl: string, env: string, keyUrl: string][] = [
  ['openai', 'OpenAI', 'openai', 'https://api.openai.com/v1', 'OPENAI_API_KEY', 'https://platform.openai.com/api-keys'],
  [
    'anthropic',
    'Anthropic',
    'anthropic',
    'https://api.anthropic.com/v1',
    'ANTHROPIC_API_KEY',
    'https://platform.claude.com/settings/keys',
  ],
  [
    'gemini',
    'Google Gemini',
    'gemini',
    'https://generativelanguage.googleapis.com/v1beta',
    'GEMINI_API_KEY',
    'https://aistudio.google.com/apikey',
  ],
  [
    'openrouter',
    'OpenRouter',
    'openrouter',
    'https://openrouter.ai/api/v1',
    'OPENROUTER_API_KEY',
    'https://openrouter.ai/settings/keys',
  ],
  ['groq', 'Groq', 'openai', 'https://api.groq.com/openai/v1', 'GROQ_API_KEY', 'https://console.groq.com/keys'],
  [
    'mistral',
    'Mistral AI',
    'openai',
    'https://api.mistral.ai/v1',
    'MISTRAL_API_KEY',
    'https://console.mistral.ai/api-keys',
  ],
  [
    'deepseek',
    'DeepSeek',
    'openai',
    'https://api.deepseek.com/v1',
    'DEEPSEEK_API_KEY',
    'https://platform.deepseek.com/api_keys',
  ],
  ['xai', 'xAI', 'openai', 'https://api.x.ai/v1', 'XAI_API_KEY', 'https://console.x.ai'],
  ['ollama', 'Ollama', 'openai', 'http://127.0.0.1:11434/v1', 'OLLAMA_BASE_URL', ''],
  [
    'together',
    'Together AI',
    'openai',
    'https://api.together.xyz/v1',
    'TOGETHER_API_KEY',
    'https://api.together.ai/settings/api-keys',
  ],
  [
    'fireworks',
    'Fireworks AI',
    'openai',
    'https://api.fireworks.ai/inference/v1',
    'FIREWORKS_API_KEY',
    'https://app.fireworks.ai/settings/users/api-keys',
  ],
  ['cerebras', 'Cerebras', 'openai', 'https://api.cerebras.ai/v1', 'CEREBRAS_API_KEY', 'https://cloud.cerebras.ai'],
  [
    'perplexity',
    'Perplexity',
    'openai',
    'https://api.perplexity.ai',
    'PERPLEXITY_API_KEY',
    'https://www.perplexity.ai/settings/api',
  ],
  [
    'cohere',
    'Cohere',
    'openai',
    'https://api.cohere.ai/compatibility/v1',
    'COHERE_API_KEY',
    'https://dashboard.cohere.com/api-keys',
  ],
  [
    'cohere-rerank',
    'Cohere Rerank',
    'openai',
    'https://api.cohere.com/v2',
    '',
    'https://dashboard.cohere.com/api-keys',
  ],
  ['jina', 'Jina AI', 'openai', 'https://api.jina.ai/v1', 'JINA_API_KEY', 'https://jina.ai/api-dashboard'],
];

export const presets: readonly Preset[] = rows.map(([id, name, kind, baseUrl, env, keyUrl]) => ({
  ...{ id, name, kind, baseUrl, env, keyUrl },
  needsKey: keyUrl !== '',
}));

export const findPreset = (id: string): Preset | undefined => presets.find((preset) => preset.id === id);

/** As `GET /api/admin/presets` shows them. */
export const presetViews = presets.map(({ id, name, kind, baseUrl, env, needsKey, keyUrl }) => ({
  ...{ id, name, kind, base_url: baseUrl, env, needs_key: needsKey, key_url: keyUrl },
  models: pricesOf(id).map((entry) => ({ model_id: entry.modelId, name: entry.name, type: entry.type })),
}));
