import { CohereClientV2 } from 'cohere-ai';
import { prompt, textOf } from '../asks.mjs';

export default ({ url, key, model }) => {
  const client = new CohereClientV2({ baseUrl: url, environment: url, token: key });
  const messages = [{ role: 'user', content: prompt }];
  return {
    whole: async () => (await client.chat({ model, messages })).message.content[0].text,
    stream: async () =>
      textOf(await client.chatStream({ model, messages }), (event) => event.delta?.message?.content?.text),
    rerank: async () =>
      (await client.rerank({ model: 'demo/rerank', query: 'tea', documents: ['green tea', 'a car'] })).results.length,
  };
};
