import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { ai, aiEmbeddings } from './ai-shared.mjs';

export default ({ url, key, model }) => {
  const provider = createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey: key });
  return { ...ai(provider(model)), ...aiEmbeddings(provider.embeddingModel('demo/embed')) };
};
