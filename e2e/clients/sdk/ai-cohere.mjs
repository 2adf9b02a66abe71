import { createCohere } from '@ai-sdk/cohere';
import { ai } from './ai-shared.mjs';

export default ({ url, key, model }) => {
  const provider = createCohere({ baseURL: `${url}/v2`, apiKey: key });
  return ai(provider(model));
};
