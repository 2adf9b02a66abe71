/** Clients that are libraries: the name of each in the document, its package, and its file in sdk/. */
export interface Library {
  name: string;
  package: string;
  file: string;
  speaks: string;
}

const chat = 'chat completions';
const responses = 'responses';
const messages = 'messages';
const gemini = 'Gemini';

const row = (name: string, from: string, file: string, speaks: string): Library => ({
  name,
  package: from,
  file: `${file}.mjs`,
  speaks,
});

export const libraries: Library[] = [
  row('openai 4', 'openai-4', 'openai-4', `${chat}, ${responses}`),
  row('openai 6', 'openai-6', 'openai-6', `${chat}, ${responses}`),
  row('openai 7', 'openai-7', 'openai-7', `${chat}, ${responses}`),
  row('@anthropic-ai/sdk', '@anthropic-ai/sdk', 'anthropic', messages),
  row('@google/genai', '@google/genai', 'google-genai', gemini),
  row('@mistralai/mistralai', '@mistralai/mistralai', 'mistral', chat),
  row('groq-sdk', 'groq-sdk', 'groq-sdk', chat),
  row('cohere-ai', 'cohere-ai', 'cohere', 'Cohere v2'),
  row('ai, @ai-sdk/openai', '@ai-sdk/openai', 'ai-openai', responses),
  row('ai, @ai-sdk/anthropic', '@ai-sdk/anthropic', 'ai-anthropic', messages),
  row('ai, @ai-sdk/google', '@ai-sdk/google', 'ai-google', gemini),
  row('ai, @ai-sdk/openai-compatible', '@ai-sdk/openai-compatible', 'ai-openai-compatible', chat),
  row('ai, @ai-sdk/mistral', '@ai-sdk/mistral', 'ai-mistral', chat),
  row('ai, @ai-sdk/groq', '@ai-sdk/groq', 'ai-groq', chat),
  row('ai, @ai-sdk/cohere', '@ai-sdk/cohere', 'ai-cohere', 'Cohere v2'),
  row('ai, @openrouter/ai-sdk-provider', '@openrouter/ai-sdk-provider', 'ai-openrouter', chat),
  row('@openai/agents', '@openai/agents', 'openai-agents', responses),
  row('@langchain/openai', '@langchain/openai', 'langchain-openai', chat),
  row('@langchain/anthropic', '@langchain/anthropic', 'langchain-anthropic', messages),
  row('@langchain/google-genai', '@langchain/google-genai', 'langchain-google', gemini),
  row('LlamaIndex, @llamaindex/openai', '@llamaindex/openai', 'llamaindex', chat),
  row('@mastra/core', '@mastra/core', 'mastra', chat),
];
