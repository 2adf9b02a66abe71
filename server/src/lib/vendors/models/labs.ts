import type { Models } from '../vendor.ts';

export const mistralModels: Models = {
  chat: [
    ['mistral-large-latest', 'Mistral Large', 0.5, 1.5, 256_000, 32_768, 0.85],
    ['mistral-medium-latest', 'Mistral Medium', 1.5, 7.5, 256_000, 32_768, 0.88],
    ['mistral-small-latest', 'Mistral Small', 0.15, 0.6, 256_000, 32_768, 0.78],
    ['codestral-latest', 'Codestral', 0.3, 0.9, 256_000, 32_768, 0.78],
    ['ministral-14b-latest', 'Ministral 14B', 0.2, 0.2, 256_000, 32_768, 0.7],
    ['ministral-8b-latest', 'Ministral 8B', 0.15, 0.15, 256_000, 32_768, 0.66],
    ['ministral-3b-latest', 'Ministral 3B', 0.1, 0.1, 256_000, 32_768, 0.58],
  ],
  embedding: [['mistral-embed', 'Mistral Embed', 0.1, 8_192]],
  rates: () => ({ cacheRead: 0.1 }),
};

export const xaiModels: Models = {
  searchesIn: 'responses',
  chat: [
    ['grok-4.7', 'Grok 4.7', 2, 6, 500_000, 200_000, 0.94],
    ['grok-4.6', 'Grok 4.6', 2, 6, 500_000, 200_000, 0.93],
    ['grok-4.5', 'Grok 4.5', 2, 6, 500_000, 200_000, 0.92],
    ['grok-4.3', 'Grok 4.3', 1.25, 2.5, 1_000_000, 200_000, 0.88],
  ],
  rates: (name) => ({
    cacheRead: name === 'grok-4.3' ? 0.16 : 0.25,
    search: 0.005,
    long: { above: 200_000, prompt: 2, completion: 2 },
  }),
};

export const deepseekModels: Models = {
  // The vendor's peak prices; off peak is half.
  chat: [
    ['deepseek-v4-pro', 'DeepSeek V4 Pro', 1.32, 3.96, 1_000_000, 384_000, 0.92],
    ['deepseek-flash', 'DeepSeek V4.1 Flash', 0.3, 1.2, 1_000_000, 384_000, 0.87],
  ],
  rates: (name) => ({ cacheRead: name === 'deepseek-flash' ? 0.02 : 1 / 30 }),
};

export const moonshotModels: Models = {
  chat: [[['moonshotai/kimi-k2.6', 'kimi-k2.6'], 'Kimi K2.6', 0.95, 4, 262_144, 65_536, 0.9]],
  rates: () => ({ cacheRead: 0.16 / 0.95 }),
};

export const perplexityModels: Models = {
  chat: [
    ['sonar', 'Sonar', 1, 1, 127_072, 8_000, 0.78],
    ['sonar-pro', 'Sonar Pro', 3, 15, 200_000, 8_000, 0.84],
    ['sonar-reasoning-pro', 'Sonar Reasoning Pro', 3, 15, 128_000, 8_000, 0.86],
  ],
  // The fee for the search that every request includes.
  rates: () => ({ request: 0.005 }),
  searchModels: /./,
};

export const zaiModels: Models = {
  chat: [
    [['z-ai/glm-5.1', 'glm-5.1'], 'GLM 5.1', 1.4, 4.4, 200_000, 128_000, 0.89],
    [['z-ai/glm-4.6', 'glm-4.6'], 'GLM 4.6', 0.6, 2.2, 200_000, 128_000, 0.85],
  ],
  rates: (name) => ({ cacheRead: name === 'glm-5.1' ? 0.26 / 1.4 : 0.11 / 0.6 }),
};

export const cohereModels: Models = {
  chat: [
    ['command-r-08-2024', 'Command R', 0.15, 0.6, 128_000, 4_000, 0.65],
    ['command-r7b-12-2024', 'Command R7B', 0.0375, 0.15, 128_000, 4_000, 0.58],
  ],
  embedding: [['embed-v4.0', 'Embed 4', 0.12, 128_000]],
};

export const cohereRerankModels: Models = {
  rerank: [
    [['cohere/rerank-v4.0-pro', 'rerank-v4.0-pro'], 'Rerank 4 Pro', 0.0025, 0, 32_768],
    [['cohere/rerank-v4.0-fast', 'rerank-v4.0-fast'], 'Rerank 4 Fast', 0.002, 0, 32_768],
  ],
};
