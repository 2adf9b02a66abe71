/** The AI SDK with any provider. */
import { embedMany, generateText, isStepCount, jsonSchema, Output, streamText, tool } from 'ai';
import { prompt, textOf, toolPrompt, weather, weatherSchema } from '../client-tasks.mjs';

// Warnings of the library about unknown model names do not matter here.
globalThis.AI_SDK_LOG_WARNINGS = false;

const inputSchema = jsonSchema({ ...weatherSchema, additionalProperties: false });

export const ai = (model) => ({
  whole: async () => (await generateText({ model, prompt })).text,
  stream: () => textOf(streamText({ model, prompt }).textStream, (text) => text),
  tools: async () => {
    const tools = { weather: tool({ description: 'Weather', inputSchema, execute: weather }) };
    return await streamText({ model, prompt: toolPrompt, tools, stopWhen: isStepCount(3) }).text;
  },
  structured: async () => {
    const output = Output.object({ schema: inputSchema });
    return (await generateText({ model, prompt: 'Reply in JSON', output })).output.city;
  },
});

export const aiEmbeddings = (model) => ({
  embeddings: async () => (await embedMany({ model, values: ['a', 'b'] })).embeddings.length,
});
