import { trimEndOf } from '../../../lib/trim-end.ts';
import { failure, isObject, type Json, UpstreamFault } from '../../wire/conversation.ts';
import { expectObject, geminiCountTokens, geminiImages, imageRequest, inputTexts } from '../gemini/endpoints.ts';
import { geminiRequestOf, searchesAsGemini } from '../gemini/request.ts';
import { geminiKind } from '../gemini.ts';
import { embeddingPieces } from '../kind/embedding-pieces.ts';
import type { Endpoint, ModelEntry, ProviderKind, Target, UpstreamRequest } from '../kind.ts';
import { asked, asStream, modelAt } from './address.ts';

/** Names may have the form of Google's other API. */
const bare = (target: Target): string => target.modelName.replace(/^models\//, '');
const at = (target: Target, method: string): string => `${modelAt(target, 'google', bare(target))}${method}`;

/** More are refused; models named after Gemini take one. */
const mostEmbeddings = 250;

/** Texts are sent to `predict`, which reports their tokens, with the title and task that Google's clients set. */
const embeddings: Endpoint = {
  split: (body, { modelName }) => embeddingPieces(body, modelName.includes('gemini-embedding') ? 1 : mostEmbeddings),
  toUpstream(body, target) {
    const hints = Array.isArray(body.hints) ? body.hints : [];
    const instances = inputTexts(body.input).map((content, i) => ({ content, ...hintOf(hints[i]) }));
    const parameters = { outputDimensionality: body.dimensions };
    const sized = typeof body.dimensions === 'number' && { parameters };
    return asked(target, at(target, ':predict'), { instances, ...sized });
  },
  fromUpstream(json, body) {
    const { predictions } = expectObject(json);
    if (!Array.isArray(predictions)) throw new UpstreamFault(failure(`the upstream response has no 'predictions'`));
    const made = predictions.map((item) => (isObject(item) && isObject(item.embeddings) ? item.embeddings : {}));
    const data = made.map(({ values }, index) => ({ object: 'embedding', index, embedding: values ?? [] }));
    const counts = made.map(({ statistics }) => (isObject(statistics) ? statistics.token_count : undefined));
    const counted = counts.every((count): count is number => typeof count === 'number');
    return {
      body: { object: 'list', data, model: body.model },
      ...(counted && { usage: { promptTokens: counts.reduce((a, b) => a + b, 0), completionTokens: 0 } }),
    };
  },
};

function hintOf(hint: unknown): Json {
  if (!isObject(hint)) return {};
  const { taskType, title } = hint;
  return { ...(taskType !== undefined && { task_type: taskType }), ...(title !== undefined && { title }) };
}

/** Lists contain all models of a publisher, whatever the project; only the preview API has them. */
function published(target: Target, publisher: string): UpstreamRequest {
  const [origin] = trimEndOf(target.baseUrl, '/').split(/\/v\d|\/projects\//);
  return asked(target, `${origin}/v1beta1/publishers/${publisher}/models?pageSize=500`);
}

/** Claude's version is its date, if it has one. */
const versionOf = ({ versionId }: Json): string =>
  typeof versionId === 'string' && /^20\d{6}$/.test(versionId) ? `@${versionId}` : '';

/** Gemini and Imagen: as in Google's other API, except for the addresses. */
export const vertexGemini: ProviderKind = {
  ...geminiKind,
  name: 'vertex',
  searches: searchesAsGemini,
  toUpstream(conversation, target) {
    const method = conversation.stream ? ':streamGenerateContent?alt=sse' : ':generateContent';
    return asStream(asked(target, at(target, method), geminiRequestOf(conversation, target)), conversation.stream);
  },
  embeddings,
  images: {
    ...geminiImages,
    toUpstream(body, target) {
      const { method, request } = imageRequest(body, target);
      return asked(target, at(target, method), request);
    },
  },
  countTokens: {
    ...geminiCountTokens,
    toUpstream(conversation, target) {
      const { contents, systemInstruction, tools } = geminiRequestOf(conversation, target);
      return asked(target, at(target, ':countTokens'), {
        contents,
        ...(systemInstruction !== undefined && { systemInstruction }),
        ...(tools !== undefined && { tools }),
      });
    },
  },
  models: {
    toUpstream: (target) => published(target, 'google'),
    further: [(target) => published(target, 'anthropic')],
    fromUpstream(json) {
      const { publisherModels } = expectObject(json);
      if (!Array.isArray(publisherModels)) throw new UpstreamFault(failure('the upstream listed no models'));
      return publisherModels.flatMap((item): ModelEntry[] => {
        if (!isObject(item) || typeof item.name !== 'string') return [];
        const [, id] = item.name.split('/models/');
        return id ? [{ id: id + versionOf(item) }] : [];
      });
    },
  },
};
