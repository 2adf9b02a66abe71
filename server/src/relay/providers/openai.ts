import { vendorOf } from '../../lib/vendors/find-vendor.ts';
import { readUpstreamError } from './kind/errors.ts';
import type { ProviderKind } from './kind.ts';
import { fromOpenai, openaiDecoder } from './openai/answer.ts';
import { openaiCompletions } from './openai/completions.ts';
import {
  openaiAudioForm,
  openaiEmbeddings,
  openaiImageForm,
  openaiImages,
  openaiModels,
  openaiModerations,
  openaiRealtime,
  openaiRerank,
  openaiSpeech,
} from './openai/endpoints.ts';
import { searchesInChat, toOpenai } from './openai/request.ts';
import { fromResponses } from './openai/responses/answer.ts';
import { responsesDecoder } from './openai/responses/decoder.ts';
import { searchesInResponses, toResponses } from './openai/responses/request.ts';

/** The chat API. */
const chatKind: ProviderKind = {
  name: 'openai',
  wire: 'chat',
  searches: (conversation, { provider, baseUrl, modelName }) =>
    searchesInChat(conversation, vendorOf(provider, baseUrl), modelName),
  wantsImageData: ({ provider, baseUrl }) => vendorOf(provider, baseUrl).wantsImageData === true,
  toUpstream: toOpenai,
  fromUpstream: fromOpenai,
  decoder: openaiDecoder,
  errorOf: readUpstreamError,
  completions: openaiCompletions,
  embeddings: openaiEmbeddings,
  images: openaiImages,
  imageEdits: openaiImageForm('/images/edits'),
  imageVariations: openaiImageForm('/images/variations'),
  moderations: openaiModerations,
  rerank: openaiRerank,
  speech: openaiSpeech,
  transcriptions: openaiAudioForm('/audio/transcriptions'),
  translations: openaiAudioForm('/audio/translations'),
  realtime: openaiRealtime,
  models: openaiModels,
};

/** Any server that speaks OpenAI's formats; differences are rows of `lib/vendors/table.ts`. */
export const openaiKind: ProviderKind = {
  ...chatKind,
  responses: {
    ...chatKind,
    wire: 'responses',
    searches: searchesInResponses,
    toUpstream: toResponses,
    fromUpstream: fromResponses,
    decoder: responsesDecoder,
  },
};
