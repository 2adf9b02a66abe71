import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { ai } from './ai-shared.mjs';

export default ({ url, key, model }) => {
  const provider = createOpenRouter({ baseURL: `${url}/v1`, apiKey: key });
  return ai(provider(model));
};
