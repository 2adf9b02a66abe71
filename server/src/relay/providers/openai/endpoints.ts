import type { Usage } from '../../../lib/money.ts';
import { vendorOf } from '../../../lib/vendors/find-vendor.ts';
import { failure, isObject, type Json, UpstreamFault } from '../../wire/conversation.ts';
import { readPricing } from '../../wire/pricing.ts';
import { normalizeRerank } from '../../wire/rerank.ts';
import { readChatUsage, tokens, usageOf } from '../../wire/usage.ts';
import { embeddingPieces } from '../kind/embedding-pieces.ts';
import { readEmbeddedError } from '../kind/errors.ts';
import {
  type Endpoint,
  jsonHeaders,
  type ModelEntry,
  type ProviderKind,
  type Target,
  type UpstreamRequest,
} from '../kind.ts';
import { openaiHeaders, openaiUrl } from './request.ts';

/** `hints`: extra information for Google's embedding models. */
const ours = new Set(['svc_ms', 'provider', 'models', 'hints']);

function post(path: string, body: Json, target: Target): UpstreamRequest {
  const sent = Object.fromEntries(Object.entries(body).filter(([key]) => !ours.has(key)));
  return {
    url: openaiUrl(target, path),
    method: 'POST',
    headers: { ...jsonHeaders, ...openaiHeaders(target) },
    body: JSON.stringify({ ...sent, model: target.modelName }),
  };
}

/** A body of the expected shape, or an error that says what is wrong. */
export function expectBody(json: unknown, list: string): Json & { [key: string]: unknown } {
  if (!isObject(json)) throw new UpstreamFault(failure('the upstream response is not a JSON object'));
  if (json.error != null) throw new UpstreamFault(readEmbeddedError(json));
  if (!Array.isArray(json[list])) throw new UpstreamFault(failure(`the upstream response has no '${list}'`));
  return json;
}

export const openaiEmbeddings: Endpoint = {
  split: (body, { provider, baseUrl }) =>
    embeddingPieces(body, vendorOf(provider, baseUrl).mostEmbeddings ?? Number.POSITIVE_INFINITY),
  toUpstream: (body, target) => post('/embeddings', body, target),
  fromUpstream(json) {
    const body = expectBody(json, 'data');
    const read = readChatUsage(body.usage);
    return { body, ...(read && { usage: { ...read, completionTokens: 0 } }) };
  },
};

/** Image models report tokens under other names. */
function imageUsage(answer: Json): Usage {
  const usage = isObject(answer.usage) ? answer.usage : {};
  const details = isObject(usage.input_tokens_details) ? usage.input_tokens_details : {};
  const parts = { cacheRead: tokens(details.cached_tokens), imageIn: tokens(details.image_tokens) };
  return {
    ...usageOf(tokens(usage.input_tokens) ?? 0, tokens(usage.output_tokens) ?? 0, parts),
    units: (answer.data as unknown[]).length,
  };
}

/** The gpt-image models always answer in base64 and refuse the option; others do not stream. */
const refusedByModel = ({ modelName }: Target): string[] =>
  /gpt-image/.test(modelName) ? ['response_format'] : ['stream', 'partial_images'];

export const openaiImages: Endpoint = {
  toUpstream(body, target) {
    const refused = refusedByModel(target);
    const sent = Object.fromEntries(Object.entries(body).filter(([name]) => !refused.includes(name)));
    return post('/images/generations', sent, target);
  },
  fromUpstream(json) {
    const body = expectBody(json, 'data');
    return { body, usage: imageUsage(body) };
  },
};

/** Image edits and variations. */
export const openaiImageForm = (path: string): Endpoint<FormData> => ({
  toUpstream(form, target) {
    const request = openaiAudioForm(path).toUpstream(form, target);
    for (const name of refusedByModel(target)) (request.body as FormData).delete(name);
    return request;
  },
  fromUpstream: (json) => openaiImages.fromUpstream(json, {}),
});

export const openaiModerations: Endpoint = {
  toUpstream: (body, target) => post('/moderations', body, target),
  fromUpstream: (json) => ({ body: expectBody(json, 'results') }),
};

export const openaiRerank: Endpoint = {
  toUpstream: (body, target) => post('/rerank', body, target),
  fromUpstream: (json, body) =>
    normalizeRerank(expectBody(json, isObject(json) && json.data ? 'data' : 'results'), body),
};

export const openaiSpeech: Pick<Endpoint, 'toUpstream'> = {
  toUpstream(body, target) {
    const request = post('/audio/speech', body, target);
    return { ...request, headers: { ...request.headers, accept: '*/*' } };
  },
};

/** FormData sets its own boundary, so no content type is given. */
export const openaiAudioForm = (path: string): Pick<Endpoint<FormData>, 'toUpstream'> => ({
  toUpstream(form, target) {
    const sent = new FormData();
    for (const [key, value] of form) if (key !== 'model' && !ours.has(key)) sent.append(key, value);
    sent.append('model', target.modelName);
    return { url: openaiUrl(target, path), method: 'POST', headers: openaiHeaders(target), body: sent };
  },
});

export const openaiRealtime: NonNullable<ProviderKind['realtime']> = {
  toUpstream: (target, transcribes) => {
    // The first event of a transcription session names the transcribing model; the URL names one that answers.
    const query = new URLSearchParams(transcribes ? { intent: 'transcription' } : { model: target.modelName });
    return { url: `${openaiUrl(target, '/realtime')}?${query}`, headers: openaiHeaders(target) };
  },
};

const positive = (value: unknown): number | undefined => (typeof value === 'number' && value > 0 ? value : undefined);

export const openaiModels = {
  toUpstream: (target: Target): UpstreamRequest => ({
    url: openaiUrl(target, '/models'),
    method: 'GET',
    headers: { accept: 'application/json', ...openaiHeaders(target) },
  }),
  fromUpstream(json: unknown): ModelEntry[] {
    // Together returns the bare list.
    const list = Array.isArray(json) ? json : (expectBody(json, 'data').data as unknown[]);
    return list.flatMap((item): ModelEntry[] => {
      if (!isObject(item) || typeof item.id !== 'string') return [];
      const contextLength = positive(item.context_length ?? item.context_window ?? item.max_context_length);
      const price = readPricing(item.pricing);
      const top = isObject(item.top_provider) ? item.top_provider : {};
      const maxOutputTokens = positive(top.max_completion_tokens ?? item.max_completion_tokens);
      return [
        {
          id: item.id,
          ...(typeof item.name === 'string' && { name: item.name }),
          ...(contextLength !== undefined && { contextLength }),
          ...(maxOutputTokens !== undefined && { maxOutputTokens }),
          ...(price && { price }),
        },
      ];
    });
  },
};
