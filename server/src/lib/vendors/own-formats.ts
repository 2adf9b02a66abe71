import { bedrockModels } from './models/amazon.ts';
import { anthropicModels } from './models/anthropic.ts';
import { geminiModels, vertexModels } from './models/google.ts';
import { openaiModels } from './models/openai.ts';
import { openrouterModels } from './models/openrouter.ts';
import { type Vendor, vendorRow } from './vendor.ts';

/** How OpenAI's own servers differ from compatible ones. */
export const openaiQuirks = {
  maxTokensField: 'max_completion_tokens',
  lacks: ['top_k'],
  knowsDeveloperRole: true,
  knowsHints: true,
  mostStops: 4,
  reasoning: 'effort',
  reasoningModels: /(^|\/)(o\d|gpt-[5-9]|gpt-oss|codex)/,
  reasoningBack: [],
} as const satisfies Partial<Vendor>;

/** OpenAI, and vendors whose format or endpoints are their own, with adapters of their kind. */
export const ownFormats: readonly Vendor[] = [
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
];
