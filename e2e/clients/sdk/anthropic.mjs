import Anthropic from '@anthropic-ai/sdk';
import { prompt, textOf, toolPrompt, weather, weatherSchema } from '../client-tasks.mjs';

export default ({ url, key, model }) => {
  const client = new Anthropic({ baseURL: url, apiKey: key });
  const ask = { model, max_tokens: 100, messages: [{ role: 'user', content: prompt }] };
  const tools = [{ name: 'weather', input_schema: weatherSchema }];
  return {
    whole: async () => (await client.messages.create(ask)).content[0].text,
    stream: () => client.messages.stream(ask).finalText(),
    tools: async () => {
      const asked = [{ role: 'user', content: toolPrompt }];
      const first = await client.messages.create({ ...ask, messages: asked, tools });
      const results = first.content
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, input }) => ({ type: 'tool_result', tool_use_id: id, content: weather(input) }));
      const messages = [...asked, { role: 'assistant', content: first.content }, { role: 'user', content: results }];
      return textOf(
        await client.messages.create({ ...ask, messages, tools, stream: true }),
        (event) => event.delta?.text,
      );
    },
  };
};
