import { createAnthropic } from '@ai-sdk/anthropic';
import { ai } from './ai-shared.mjs';

export default ({ url, key, model }) => {
  const provider = createAnthropic({ baseURL: `${url}/v1`, apiKey: key });
  return ai(provider(model));
};
