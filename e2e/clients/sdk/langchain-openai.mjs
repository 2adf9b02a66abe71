import { ChatOpenAI } from '@langchain/openai';
import { langchain } from './langchain-shared.mjs';

export default ({ url, key, model }) =>
  langchain(new ChatOpenAI({ model, apiKey: key, configuration: { baseURL: `${url}/v1` } }));
