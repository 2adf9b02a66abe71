import { createOpenAI } from '@ai-sdk/openai';
import { ai, aiEmbeddings } from './ai-shared.mjs';

export default ({ url, key, model }) => {
  const provider = createOpenAI({ baseURL: `${url}/v1`, apiKey: key });
  return { ...ai(provider(model)), ...aiEmbeddings(provider.embeddingModel('demo/embed')) };
};
