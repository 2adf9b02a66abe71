import { GoogleGenAI } from '@google/genai';
import { prompt, textOf, toolPrompt, weather, weatherSchema } from '../client-tasks.mjs';

export default ({ url, key, model }) => {
  const { models, chats } = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } });
  return {
    whole: async () => (await models.generateContent({ model, contents: prompt })).text,
    stream: async () => textOf(await models.generateContentStream({ model, contents: prompt }), (chunk) => chunk.text),
    tools: async () => {
      const functionDeclarations = [{ name: 'weather', parametersJsonSchema: weatherSchema }];
      const chat = chats.create({ model, config: { tools: [{ functionDeclarations }] } });
      const { functionCalls } = await chat.sendMessage({ message: toolPrompt });
      const message = functionCalls.map(({ id, name, args }) => ({
        functionResponse: { id, name, response: { output: weather(args) } },
      }));
      return (await chat.sendMessage({ message })).text;
    },
    structured: async () => {
      const config = { responseMimeType: 'application/json', responseJsonSchema: weatherSchema };
      return JSON.parse((await models.generateContent({ model, contents: 'Reply in JSON', config })).text).city;
    },
    embeddings: async () =>
      (await models.embedContent({ model: 'demo/embed', contents: ['a', 'b'] })).embeddings.length,
  };
};
