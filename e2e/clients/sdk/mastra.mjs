import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { prompt, textOf, toolPrompt, weather } from '../client-tasks.mjs';

export default ({ url, key, model }) => {
  const place = z.object({ city: z.string() });
  const tools = {
    weather: createTool({
      id: 'weather',
      description: 'Weather',
      inputSchema: place,
      execute: async (input) => weather(input),
    }),
  };
  const agent = (more = {}) =>
    new Agent({
      id: 'plain',
      name: 'plain',
      instructions: 'Be brief.',
      model: { id: `svc/${model}`, url: `${url}/v1`, apiKey: key },
      ...more,
    });
  return {
    whole: async () => (await agent().generate(prompt)).text,
    stream: async () => textOf((await agent().stream(prompt)).textStream, (text) => text),
    tools: async () => (await agent({ tools }).generate(toolPrompt)).text,
    structured: async () =>
      (await agent().generate('Reply in JSON', { structuredOutput: { schema: place } })).object.city,
  };
};
