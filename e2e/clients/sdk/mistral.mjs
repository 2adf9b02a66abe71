import { Mistral } from '@mistralai/mistralai';
import { prompt, textOf, toolPrompt, weather, weatherSchema } from '../client-tasks.mjs';

export default ({ url, key, model }) => {
  const { chat, embeddings } = new Mistral({ serverURL: url, apiKey: key });
  const messages = [{ role: 'user', content: prompt }];
  const tools = [{ type: 'function', function: { name: 'weather', parameters: weatherSchema } }];
  return {
    whole: async () => (await chat.complete({ model, messages })).choices[0].message.content,
    stream: async () => textOf(await chat.stream({ model, messages }), ({ data }) => data.choices[0]?.delta.content),
    tools: async () => {
      const asked = [{ role: 'user', content: toolPrompt }];
      const { message } = (await chat.complete({ model, messages: asked, tools })).choices[0];
      const results = message.toolCalls.map((call) => ({
        role: 'tool',
        toolCallId: call.id,
        name: call.function.name,
        content: weather(JSON.parse(call.function.arguments)),
      }));
      return (await chat.complete({ model, messages: [...asked, message, ...results], tools })).choices[0].message
        .content;
    },
    embeddings: async () => (await embeddings.create({ model: 'demo/embed', inputs: ['a', 'b'] })).data.length,
  };
};
