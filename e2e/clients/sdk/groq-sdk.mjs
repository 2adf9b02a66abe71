import Groq from 'groq-sdk';
import { chat } from './openai-shared.mjs';

export default ({ url, key, model }) => chat(new Groq({ baseURL: url, apiKey: key }), model);
