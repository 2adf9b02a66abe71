import { openai } from '@llamaindex/openai';
import { tool } from 'llamaindex';
import { z } from 'zod';
import { prompt, textOf, toolPrompt, weather } from '../client-tasks.mjs';

export default ({ url, key, model }) => {
  const llm = openai({ model, apiKey: key, baseURL: `${url}/v1` });
  const messages = [{ role: 'user', content: prompt }];
  const parameters = z.object({ city: z.string() });
  return {
    whole: async () => (await llm.chat({ messages })).message.content,
    stream: async () => textOf(await llm.chat({ messages, stream: true }), (chunk) => chunk.delta),
    tools: async () => {
      const tools = [tool({ name: 'weather', description: 'Weather', parameters, execute: weather })];
      const asked = [{ role: 'user', content: toolPrompt }];
      const { message } = await llm.chat({ messages: asked, tools });
      const results = message.options.toolCall.map(({ id, input }) => ({
        role: 'user',
        content: weather(typeof input === 'string' ? JSON.parse(input) : input),
        options: { toolResult: { id, result: 'ok', isError: false } },
      }));
      return (await llm.chat({ messages: [...asked, message, ...results], tools })).message.content;
    },
  };
};
