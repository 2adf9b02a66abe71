import { nowSeconds } from '../../lib/clock.ts';
import type { Usage } from '../../lib/money.ts';
import type { Candidate } from '../../routing/candidate.ts';
import { plausibleOrCounted } from '../count-usage.ts';
import type { RelayDeps, RequestContext } from '../deps.ts';
import { undone } from '../providers/kind/errors.ts';
import { failure, isObject, type Json, UpstreamFault } from '../wire/conversation.ts';
import {
  invalid,
  optionalBoolean,
  optionalEnum,
  optionalInteger,
  requiredString,
  unsupported,
  weigh,
} from '../wire/read.ts';
import { type Answered, callEndpoint, readJson } from './call-endpoint.ts';
import { countTexts } from './count-texts.ts';
import { modelOr } from './default-model.ts';
import { fetchImage } from './fetch-image.ts';
import { type ImageFileDeps, keepImages } from './image-files.ts';

/** What the costliest picture of a model billed by tokens takes, and what most take. */
const mostTokensPerImage = 6_300;
const tokensPerImage = 1_300;

/** A picture inside an answer, as base64: 4096 by 4096 points fit. */
const pictureBytes = 32 * 1024 * 1024;

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
  context: RequestContext,
  given: Json,
): Promise<Answered<Json>> {
  const { prompt, n, asked } = check(given);
  const model = modelOr(deps, context.caller, given, 'image');
  // Pictures inside the answer spare a second call, where the upstream gives a choice.
  const body: Json = { ...given, model, ...(asked && { response_format: 'b64_json' }) };
  const most = { promptTokens: weigh(given), completionTokens: n * mostTokensPerImage, units: n };
  const answered = await callEndpoint<Drawn & { data?: Json[] }>(deps, context, {
    type: 'image',
    model,
    offeredBy: (kind) => kind.images !== undefined,
    estimate: { most: () => most },
    toUpstream: (kind, target) => {
      if (target.paid) refuseOtherCounts(body);
      return kind.images!.toUpstream(body, target);
    },
    read: async (response, kind, candidate) => {
      const read = kind.images!.fromUpstream(await readJson(response, n * pictureBytes), body);
      // Each may be another call: no more of them than were asked for.
      const pictures = await picturesOf((read.body.data as unknown[]).slice(0, n), candidate, context.signal);
      return {
        value: { format: asked ?? usualFormat(candidate), pictures, body: read.body },
        usage: await usageOf(deps, context, read.usage, most, { prompt, pictures: pictures.length, candidate }),
      };
    },
    deliver: async (drawn) => ({ ...drawn, data: await handOut(deps, drawn) }),
  });
  const { body: upstream, data } = answered.value;
  return { ...answered, value: { created: nowSeconds(deps.clock), ...upstream, data } };
}

/** Names besides `n` by which some server takes a number of pictures. */
const otherCounts = ['num_images', 'num_images_per_prompt', 'num_outputs', 'image_count', 'batch_size', 'samples'];

function refuseOtherCounts(body: Json): void {
  const name = otherCounts.find((one) => typeof body[one] === 'number' && body[one] > 1);
  if (name !== undefined) throw unsupported(name, `'${name}' is not supported by this model; say 'n'.`);
}

/** Pictures that nobody ordered are not paid for. Tokens of pictures are counted here only where they are all that is priced. */
async function usageOf(
  deps: RelayDeps,
  context: RequestContext,
  reported: Usage | undefined,
  most: { promptTokens: number; completionTokens: number; units: number },
  made: { prompt: string; pictures: number; candidate: Candidate },
): Promise<Usage> {
  const { completionPrice, requestPrice } = made.candidate.price;
  const units = Math.min(made.pictures, most.units);
  const countPrompt = () => countTexts([made.prompt]);
  const countOutput = () => (completionPrice > 0 && requestPrice === 0 ? units * tokensPerImage : 0);
  const told = (name: 'promptTokens' | 'completionTokens') => reported?.[name] || undefined;
  const prompt = await plausibleOrCounted(deps, context, told('promptTokens'), most.promptTokens, countPrompt);
  const output = await plausibleOrCounted(deps, context, told('completionTokens'), most.completionTokens, countOutput);
  const estimated = prompt.estimated || (output.estimated && output.tokens > 0);
  return {
    // The parts of a count are worth as much as the count.
    ...(!estimated && reported),
    promptTokens: prompt.tokens,
    completionTokens: output.tokens,
    units,
    ...(estimated && { estimated }),
  };
}

/** OpenAI answers with addresses unless asked otherwise, but for its gpt-image models, which know no addresses. */
const usualFormat = (candidate: Candidate): Format => (/gpt-image/.test(candidate.modelName) ? 'b64_json' : 'url');

async function picturesOf(data: unknown[], candidate: Candidate, signal: AbortSignal): Promise<Picture[]> {
  if (data.length === 0) throw new UpstreamFault(undone('the upstream answered without an image'));
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
