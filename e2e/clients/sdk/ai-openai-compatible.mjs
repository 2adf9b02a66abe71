import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ai, aiEmbeddings } from './ai-shared.mjs';

export default ({ url, key, model }) => {
  const provider = createOpenAICompatible({ name: 'svc', baseURL: `${url}/v1`, apiKey: key });
  return { ...ai(provider(model)), ...aiEmbeddings(provider.embeddingModel('demo/embed')) };
};
