import { priceEntries } from './entry.ts';

export const mistral = priceEntries('mistral', {
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
});

export const deepseek = priceEntries('deepseek', {
  // Prices of the vendor's peak hours; off peak is half.
  chat: [
    ['deepseek-v4-pro', 'DeepSeek V4 Pro', 1.32, 3.96, 1_000_000, 384_000, 0.92],
    ['deepseek-flash', 'DeepSeek V4.1 Flash', 0.3, 1.2, 1_000_000, 384_000, 0.87],
  ],
});

export const xai = priceEntries('xai', {
  chat: [
    ['grok-4.7', 'Grok 4.7', 2, 6, 500_000, 200_000, 0.94],
    ['grok-4.6', 'Grok 4.6', 2, 6, 500_000, 200_000, 0.93],
    ['grok-4.5', 'Grok 4.5', 2, 6, 500_000, 200_000, 0.92],
    ['grok-4.3', 'Grok 4.3', 1.25, 2.5, 1_000_000, 200_000, 0.88],
  ],
});

export const perplexity = priceEntries('perplexity', {
  // The fee per search comes on top and stands as the price of the request.
  chat: [
    ['sonar', 'Sonar', 1, 1, 127_072, 8_000, 0.78],
    ['sonar-pro', 'Sonar Pro', 3, 15, 200_000, 8_000, 0.84],
    ['sonar-reasoning-pro', 'Sonar Reasoning Pro', 3, 15, 128_000, 8_000, 0.86],
  ],
}).map((entry) => ({ ...entry, requestPrice: 0.005 }));

export const cohere = priceEntries('cohere', {
  chat: [
    ['command-r-08-2024', 'Command R', 0.15, 0.6, 128_000, 4_000, 0.65],
    ['command-r7b-12-2024', 'Command R7B', 0.0375, 0.15, 128_000, 4_000, 0.58],
  ],
  embedding: [['embed-v4.0', 'Embed 4', 0.12, 128_000]],
});

/** The same vendor at its own address, where reranking lives. */
export const cohereRerank = priceEntries('cohere-rerank', {
  rerank: [
    [['cohere/rerank-v4.0-pro', 'rerank-v4.0-pro'], 'Rerank 4 Pro', 0.0025, 0, 32_768],
    [['cohere/rerank-v4.0-fast', 'rerank-v4.0-fast'], 'Rerank 4 Fast', 0.002, 0, 32_768],
  ],
});

export const jina = priceEntries('jina', {
  embedding: [['jina-embeddings-v4', 'Jina Embeddings v4', 0.05, 32_768]],
  rerank: [['jina-reranker-v3', 'Jina Reranker v3', 0, 0.05, 131_072]],
});
