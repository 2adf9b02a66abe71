import { ChatGoogleGenerativeAI } from '@langchain/google-genai';
import { langchain } from './langchain-shared.mjs';

export default ({ url, key, model }) => langchain(new ChatGoogleGenerativeAI({ model, apiKey: key, baseUrl: url }));
