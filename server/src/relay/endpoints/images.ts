import { nowSeconds } from '../../lib/clock.ts';
import type { Candidate } from '../../routing/candidate.ts';
import type { Errand, RelayDeps } from '../deps.ts';
import { failure, isObject, type Json, UpstreamFault } from '../wire/conversation.ts';
import { invalid, optionalBoolean, optionalEnum, optionalInteger, requiredString, unsupported } from '../wire/read.ts';
import { type Answered, callEndpoint, readJson } from './call-endpoint.ts';
import { countTexts, estimateTexts } from './count-texts.ts';
import { modelOr } from './default-model.ts';
import { fetchImage } from './fetch-image.ts';
import { type ImageFileDeps, keepImages } from './image-files.ts';

/** What the costliest picture of a model billed by tokens takes. */
const tokensPerImage = 6_300;

type Format = 'url' | 'b64_json';

interface Picture {
  bytes: Uint8Array;
  /** What the upstream says besides, such as `revised_prompt`. */
  rest: Json;
}

interface Drawn {
  format: Format;
  pictures: Picture[];
  body: Json;
}

function check(body: Json): { prompt: string; n: number; asked: Format | undefined } {
  const prompt = requiredString(body, 'prompt');
  const n = optionalInteger(body, 'n', 1, 10) ?? 1;
  const asked = optionalEnum(body, 'response_format', ['url', 'b64_json'] as const);
  if (body.size !== undefined && body.size !== null && !/^(auto|[1-9]\d{1,4}x[1-9]\d{1,4})$/.test(String(body.size)))
    throw invalid('size', `'size' must be WIDTHxHEIGHT, for example 1024x1024, or auto.`);
  if (optionalBoolean(body, 'stream')) throw unsupported('stream', 'Images are not streamed; leave `stream` out.');
  return { prompt, n, asked };
}

export async function drawImages(
  deps: RelayDeps & ImageFileDeps,
  errand: Errand,
  given: Json,
): Promise<Answered<Json>> {
  const { prompt, n, asked } = check(given);
  const model = modelOr(deps, errand.caller, given, 'image');
  // Pictures inside the answer spare a second call, where the upstream gives a choice.
  const body: Json = { ...given, model, ...(asked && { response_format: 'b64_json' }) };
  const answered = await callEndpoint<Drawn & { data?: Json[] }>(deps, errand, {
    type: 'image',
    model,
    offeredBy: (kind) => kind.images !== undefined,
    estimate: () => ({
      promptTokens: estimateTexts([prompt]),
      completionTokens: n * tokensPerImage,
      units: n,
    }),
    toUpstream: (kind, target) => kind.images!.toUpstream(body, target),
    read: async (response, kind, candidate) => {
      const read = kind.images!.fromUpstream(await readJson(response), body);
      const pictures = await picturesOf(read.body.data as unknown[], candidate, errand.signal);
      return {
        value: { format: asked ?? usualFormat(candidate), pictures, body: read.body },
        usage: {
          completionTokens: read.usage?.completionTokens ?? 0,
          promptTokens: read.usage?.promptTokens || (await countTexts([prompt])),
          units: pictures.length,
        },
      };
    },
    deliver: async (drawn) => ({ ...drawn, data: await handOut(deps, drawn) }),
  });
  const { body: upstream, data } = answered.value;
  return { ...answered, value: { created: nowSeconds(deps.clock), ...upstream, data } };
}

/** OpenAI answers with addresses unless asked otherwise, but for its gpt-image models, which know no addresses. */
const usualFormat = (candidate: Candidate): Format => (/gpt-image/.test(candidate.modelName) ? 'b64_json' : 'url');

async function picturesOf(data: unknown[], candidate: Candidate, signal: AbortSignal): Promise<Picture[]> {
  if (data.length === 0) throw new UpstreamFault(failure('the upstream answered without an image'));
  return Promise.all(
    data.map(async (item) => {
      const { b64_json, url, ...rest } = isObject(item) ? item : {};
      if (typeof b64_json === 'string' && b64_json !== '') return { bytes: Buffer.from(b64_json, 'base64'), rest };
      if (typeof url !== 'string') throw new UpstreamFault(failure('the upstream answered without an image'));
      return { bytes: await fetchImage(url, candidate.channel.baseUrl, signal), rest };
    }),
  );
}

async function handOut(deps: ImageFileDeps, { format, pictures }: Drawn): Promise<Json[]> {
  if (format === 'b64_json')
    return pictures.map(({ bytes, rest }) => ({ b64_json: Buffer.from(bytes).toString('base64'), ...rest }));
  const urls = await keepImages(
    deps,
    pictures.map(({ bytes }) => bytes),
  );
  return pictures.map(({ rest }, i) => ({ url: urls[i], ...rest }));
}
