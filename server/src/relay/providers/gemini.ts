import { fromGemini, geminiDecoder } from './gemini/answer.ts';
import { geminiCountTokens, geminiEmbeddings, geminiImages, geminiModels } from './gemini/endpoints.ts';
import { toGemini } from './gemini/request.ts';
import { readUpstreamError } from './kind/errors.ts';
import type { ProviderKind } from './kind.ts';

/** Google's generateContent API. Its streams end by closing, after a chunk with a finish reason. */
export const geminiKind: ProviderKind = {
  name: 'gemini',
  wire: 'gemini',
  wantsImageData: true,
  toUpstream: toGemini,
  fromUpstream: fromGemini,
  decoder: geminiDecoder,
  errorOf: readUpstreamError,
  embeddings: geminiEmbeddings,
  images: geminiImages,
  countTokens: geminiCountTokens,
  models: geminiModels,
};
