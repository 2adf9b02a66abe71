import { createMistral } from '@ai-sdk/mistral';
import { ai, aiEmbeddings } from './ai-shared.mjs';

export default ({ url, key, model }) => {
  const provider = createMistral({ baseURL: `${url}/v1`, apiKey: key });
  return { ...ai(provider(model)), ...aiEmbeddings(provider.embeddingModel('demo/embed')) };
};
