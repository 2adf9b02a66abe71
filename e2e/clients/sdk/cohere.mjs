import { CohereClientV2 } from 'cohere-ai';
import { prompt, textOf, toolPrompt, weather, weatherSchema } from '../client-tasks.mjs';

const user = (content) => ({ role: 'user', content });
const tools = [{ type: 'function', function: { name: 'weather', parameters: weatherSchema } }];

export default ({ url, key, model }) => {
  const client = new CohereClientV2({ baseUrl: url, environment: url, token: key });
  const messages = [user(prompt)];
  return {
    whole: async () => (await client.chat({ model, messages })).message.content[0].text,
    stream: async () =>
      textOf(await client.chatStream({ model, messages }), (event) => event.delta?.message?.content?.text),
    tools: async () => {
      const asked = [user(toolPrompt)];
      const { message } = await client.chat({ model, messages: asked, tools });
      const results = message.toolCalls.map((call) => ({
        role: 'tool',
        toolCallId: call.id,
        content: weather(JSON.parse(call.function.arguments)),
      }));
      const answer = await client.chat({ model, messages: [...asked, message, ...results], tools });
      return answer.message.content[0].text;
    },
    structured: async () => {
      const responseFormat = { type: 'json_object', jsonSchema: weatherSchema };
      const answer = await client.chat({ model, messages: [user('Reply in JSON')], responseFormat });
      return JSON.parse(answer.message.content[0].text).city;
    },
    rerank: async () =>
      (await client.rerank({ model: 'demo/rerank', query: 'tea', documents: ['green tea', 'a car'] })).results.length,
  };
};
