import { objectsIn } from '../../../lib/is-object.ts';
import { type Conversation, failure, isObject, type Json, UpstreamFault } from '../../wire/conversation.ts';
import { readGeminiUsage } from '../../wire/gemini/usage.ts';
import { unsupported } from '../../wire/read.ts';
import { embeddingPieces } from '../kind/embedding-pieces.ts';
import { readEmbeddedError, undone } from '../kind/errors.ts';
import type { Endpoint, ModelEntry, Target, UpstreamRequest } from '../kind.ts';
import { geminiHeaders, geminiRequestOf, geminiUrl, modelPath } from './request.ts';

const bareName = (target: Target): string => target.modelName.replace(/^models\//, '');

const post = (target: Target, method: string, body: Json): UpstreamRequest => ({
  url: geminiUrl(target, modelPath(target) + method),
  method: 'POST',
  headers: geminiHeaders(target),
  body: JSON.stringify(body),
});

export function expectObject(json: unknown): Json {
  if (!isObject(json)) throw new UpstreamFault(failure('the upstream response is not a JSON object'));
  if (json.error != null) throw new UpstreamFault(readEmbeddedError(json));
  return json;
}

export function inputTexts(input: unknown): string[] {
  const list = typeof input === 'string' ? [input] : Array.isArray(input) ? input : [];
  if (list.length === 0 || !list.every((item): item is string => typeof item === 'string')) {
    throw unsupported('input', 'This model accepts only text, not token IDs.');
  }
  return list;
}

/** More are refused. */
const mostEmbeddings = 100;

export const geminiEmbeddings: Endpoint = {
  split: (body) => embeddingPieces(body, mostEmbeddings),
  toUpstream(body, target) {
    const model = `models/${bareName(target)}`;
    const dimensions = typeof body.dimensions === 'number' ? { outputDimensionality: body.dimensions } : {};
    const hints = Array.isArray(body.hints) ? body.hints : [];
    const requests = inputTexts(body.input).map((text, i) => ({
      model,
      content: { parts: [{ text }] },
      ...dimensions,
      ...(isObject(hints[i]) && hints[i]),
    }));
    return post(target, ':batchEmbedContents', { requests });
  },
  /** Google reports no tokens here; billing counts them. */
  fromUpstream(json, body) {
    const { embeddings } = expectObject(json);
    if (!Array.isArray(embeddings)) throw new UpstreamFault(failure(`the upstream response has no 'embeddings'`));
    const data = embeddings.map((item, index) => ({
      object: 'embedding',
      index,
      embedding: isObject(item) ? item.values : [],
    }));
    return { body: { object: 'list', data, model: body.model } };
  },
};

const isImagen = (target: Target): boolean => bareName(target).startsWith('imagen');

/** Imagen accepts aspect ratios, not sizes. */
function aspectRatio(size: unknown): Json {
  const match = typeof size === 'string' ? /^(\d+)x(\d+)$/.exec(size) : null;
  if (!match) return {};
  const wanted = Number(match[1]) / Number(match[2]);
  const shapes: [string, number][] = [
    ['1:1', 1],
    ['3:4', 0.75],
    ['4:3', 4 / 3],
    ['9:16', 9 / 16],
    ['16:9', 16 / 9],
  ];
  shapes.sort((a, b) => Math.abs(a[1] - wanted) - Math.abs(b[1] - wanted));
  return { aspectRatio: shapes[0]![0] };
}

export function imageRequest(body: Json, target: Target): { method: string; request: Json } {
  if (isImagen(target)) {
    const parameters = { sampleCount: typeof body.n === 'number' ? body.n : 1, ...aspectRatio(body.size) };
    return { method: ':predict', request: { instances: [{ prompt: body.prompt }], parameters } };
  }
  if (typeof body.n === 'number' && body.n > 1) throw unsupported('n', `'n' above 1 is not supported by this model.`);
  const contents = [{ role: 'user', parts: [{ text: body.prompt }] }];
  return { method: ':generateContent', request: { contents, generationConfig: { responseModalities: ['IMAGE'] } } };
}

export const geminiImages: Endpoint = {
  toUpstream(body, target) {
    const { method, request } = imageRequest(body, target);
    return post(target, method, request);
  },
  fromUpstream(json) {
    const answer = expectObject(json);
    const data = [...predictions(answer), ...inlineImages(answer)];
    if (data.length === 0) throw new UpstreamFault(undone('the upstream returned no image'));
    const usage = readGeminiUsage(answer.usageMetadata);
    return { body: { data }, usage: { promptTokens: 0, completionTokens: 0, ...usage, units: data.length } };
  },
};

const predictions = (answer: Json): Json[] =>
  (Array.isArray(answer.predictions) ? answer.predictions : []).flatMap((item) =>
    isObject(item) && typeof item.bytesBase64Encoded === 'string' ? [{ b64_json: item.bytesBase64Encoded }] : [],
  );

function inlineImages(answer: Json): Json[] {
  const candidates = objectsIn(answer.candidates);
  const parts = candidates.flatMap(({ content }) =>
    isObject(content) && Array.isArray(content.parts) ? content.parts : [],
  );
  return parts.flatMap((part) =>
    isObject(part) && isObject(part.inlineData) && typeof part.inlineData.data === 'string'
      ? [{ b64_json: part.inlineData.data }]
      : [],
  );
}

export const geminiCountTokens = {
  toUpstream(conversation: Conversation, target: Target): UpstreamRequest {
    const request = { model: `models/${bareName(target)}`, ...geminiRequestOf(conversation, target) };
    return post(target, ':countTokens', { generateContentRequest: request });
  },
  fromUpstream(json: unknown): number {
    const { totalTokens } = expectObject(json);
    if (typeof totalTokens === 'number') return totalTokens;
    throw new UpstreamFault(failure('the upstream returned no token count'));
  },
};

export const geminiModels = {
  toUpstream: (target: Target): UpstreamRequest => ({
    url: geminiUrl(target, '/models?pageSize=1000'),
    method: 'GET',
    headers: geminiHeaders(target),
  }),
  fromUpstream(json: unknown): ModelEntry[] {
    const { models } = expectObject(json);
    if (!Array.isArray(models)) throw new UpstreamFault(failure('the upstream listed no models'));
    return models.flatMap((item): ModelEntry[] => {
      if (!isObject(item) || typeof item.name !== 'string') return [];
      return [
        {
          id: item.name.replace(/^models\//, ''),
          ...(typeof item.displayName === 'string' && { name: item.displayName }),
          ...(typeof item.inputTokenLimit === 'number' && { contextLength: item.inputTokenLimit }),
          ...(typeof item.outputTokenLimit === 'number' && { maxOutputTokens: item.outputTokenLimit }),
        },
      ];
    });
  },
};
