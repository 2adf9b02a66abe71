import { createGroq } from '@ai-sdk/groq';
import { ai } from './ai-shared.mjs';

export default ({ url, key, model }) => {
  const provider = createGroq({ baseURL: `${url}/openai/v1`, apiKey: key });
  return ai(provider(model));
};
