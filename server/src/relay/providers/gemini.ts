import type { Conversation } from '../wire/conversation.ts';
import { fromGemini, geminiDecoder } from './gemini/answer.ts';
import { geminiCountTokens, geminiEmbeddings, geminiImages, geminiModels } from './gemini/endpoints.ts';
import { searchesAsGemini, toGemini } from './gemini/request.ts';
import { readUpstreamError } from './kind/errors.ts';
import type { ProviderKind, Target } from './kind.ts';

const isGoogles = ({ provider, baseUrl, knownToSearch }: Target): boolean =>
  knownToSearch || provider === 'gemini' || URL.parse(baseUrl)?.hostname === 'generativelanguage.googleapis.com';

/** Only Google Cloud supports excluded domains. */
const blocks = ({ params }: Conversation): boolean => params.webSearch?.blockedDomains !== undefined;

/** Google's generateContent API. Streams end by closing, after a chunk with a finish reason. */
export const geminiKind: ProviderKind = {
  name: 'gemini',
  wire: 'gemini',
  toolNames: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
  wantsImageData: true,
  searches: (conversation, target) => isGoogles(target) && searchesAsGemini(conversation) && !blocks(conversation),
  toUpstream: toGemini,
  fromUpstream: fromGemini,
  decoder: geminiDecoder,
  errorOf: readUpstreamError,
  embeddings: geminiEmbeddings,
  images: geminiImages,
  countTokens: geminiCountTokens,
  models: geminiModels,
};
