import OpenAI from 'openai-4';
import { chat, embeddings, responses } from './openai-shared.mjs';

export default ({ url, key, model }) => {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key });
  return { ...chat(client, model), ...responses(client, model), ...embeddings(client) };
};
