import { ChatAnthropic } from '@langchain/anthropic';
import { langchain } from './langchain-shared.mjs';

export default ({ url, key, model }) => langchain(new ChatAnthropic({ model, apiKey: key, anthropicApiUrl: url }));
