import { nowSeconds } from '../../lib/clock.ts';
import { imageType } from '../../lib/image-type.ts';
import type { Usage } from '../../lib/money.ts';
import type { Candidate } from '../../routing/candidate.ts';
import { plausibleOrCounted } from '../count-usage.ts';
import type { RelayDeps, RequestContext } from '../deps.ts';
import { undone } from '../providers/kind/errors.ts';
import type { Endpoint, ProviderKind } from '../providers/kind.ts';
import { failure, isObject, type Json, UpstreamFault } from '../wire/conversation.ts';
import { imageCounts } from '../wire/image-counts.ts';
import { invalid, optionalEnum, optionalInteger, unsupported } from '../wire/read.ts';
import { type Answered, callEndpoint, readJson } from './call-endpoint.ts';
import { countTexts } from './count-texts.ts';
import { isEventStream, readEvents, type Tell } from './event-answer.ts';
import { fetchImage, inlineImage } from './fetch-image.ts';
import { type ImageFileDeps, keepImages } from './image-files.ts';

/** Tokens of the most expensive image of a token-billed model, and of a typical one. */
const mostTokensPerImage = 6_300;
const tokensPerImage = 1_300;

/** An image in an answer, as base64: enough for 4096 × 4096 pixels. */
const pictureBytes = 32 * 1024 * 1024;

/** The image and three previews. */
const mostPreviews = 4;

type Format = 'url' | 'b64_json';

interface Picture {
  bytes: Uint8Array;
  /** Further fields of the upstream, such as `revised_prompt`. */
  rest: Json;
}

interface Drawn {
  format: Format;
  pictures: Picture[];
  body: Json;
}

/** An image request, whatever it starts from. */
export interface ImageOrder<In> {
  /** Prefix of its events. */
  name: 'image_generation' | 'image_edit';
  model: string;
  prompt: string;
  n: number;
  asked: Format | undefined;
  /** Number of input images. */
  given: number;
  /** Bytes of all its texts. */
  weight: number;
  body: In;
  /** Its fields, for defaults and for what the events repeat. */
  fields: Json;
  endpointOf(kind: ProviderKind): Endpoint<In> | undefined;
}

export const readSettings = (fields: Json) => {
  const n = optionalInteger(fields, 'n', 1, 10) ?? 1;
  const asked = optionalEnum(fields, 'response_format', ['url', 'b64_json'] as const);
  if (fields.size != null && !/^(auto|[1-9]\d{1,4}x[1-9]\d{1,4})$/.test(String(fields.size)))
    throw invalid('size', `'size' must be WIDTHxHEIGHT, for example 1024x1024, or auto.`);
  optionalInteger(fields, 'partial_images', 0, 3);
  return { n, asked };
};

/** Generates, charges and delivers; with `tell`, previews are streamed and images stay inside the events. */
export async function generateImages<In>(
  deps: RelayDeps & ImageFileDeps,
  context: RequestContext,
  order: ImageOrder<In>,
  tell?: Tell,
): Promise<Answered<Json>> {
  const { prompt, n, body, endpointOf } = order;
  const asked = tell ? 'b64_json' : order.asked;
  const most = {
    promptTokens: order.weight + order.given * mostTokensPerImage,
    completionTokens: n * mostTokensPerImage,
    units: n,
  };
  let previewed: Candidate | undefined;
  const answered = await callEndpoint<Drawn & { data?: Json[] }>(deps, context, {
    type: 'image',
    model: order.model,
    offeredBy: (kind) => endpointOf(kind) !== undefined,
    estimate: { most: () => most, asks: { mayWriteCache: false, hasAudio: false, hasImages: order.given > 0 } },
    toUpstream: (kind, target) => {
      if (target.paid) refuseOtherCounts(order.fields);
      return endpointOf(kind)!.toUpstream(body, target);
    },
    read: async (response, kind, candidate, { touch }) => {
      const preview = (event: Json): void => {
        previewed = candidate;
        tell!(candidate, { ...event, type: `${order.name}.partial_image` });
      };
      const answer =
        tell && isEventStream(response)
          ? await readDrawing(response, n * pictureBytes, touch, preview)
          : await readJson(response, n * pictureBytes);
      const read = endpointOf(kind)!.fromUpstream(answer, body);
      // Each may need another call, so no more than were asked for.
      const pictures = await picturesOf((read.body.data as unknown[]).slice(0, n), candidate, context.signal);
      return {
        value: { format: asked ?? usualFormat(candidate), pictures, body: read.body },
        usage: await usageOf(deps, context, read.usage, most, { prompt, pictures: pictures.length, candidate }),
      };
    },
    // A preview is nearly the image.
    handedOn: () =>
      previewed ? usageOf(deps, context, undefined, most, { prompt, pictures: n, candidate: previewed }) : null,
    deliver: async (drawn) => ({ ...drawn, data: await handOut(deps, drawn) }),
  });
  const { body: upstream, data } = answered.value;
  const usage = isObject(upstream.usage) && { usage: withDetails(upstream.usage) };
  return { ...answered, value: { created: nowSeconds(deps.clock), ...upstream, ...usage, data } };
}

/** OpenAI's libraries require these members, which other servers leave out. */
function withDetails(usage: Json): Json {
  if (typeof usage.input_tokens !== 'number') return usage;
  const details = isObject(usage.input_tokens_details) ? usage.input_tokens_details : {};
  const { image_tokens = 0, text_tokens = usage.input_tokens - Number(image_tokens) } = details;
  return { ...usage, input_tokens_details: { ...details, text_tokens, image_tokens } };
}

/** Streams previews, and collects the images as in a whole answer. */
async function readDrawing(
  response: Response,
  mostBytes: number,
  touch: () => void,
  preview: (event: Json) => void,
): Promise<Json> {
  const data: Json[] = [];
  let last: Json = {};
  await readEvents(response, mostBytes * mostPreviews, touch, (event) => {
    if (/\.partial_image$/.test(String(event.type))) preview(event);
    if (!/\.completed$/.test(String(event.type))) return;
    data.push({ b64_json: event.b64_json });
    last = event;
  });
  const { type: _, b64_json: __, created_at, ...rest } = last;
  return { ...rest, created: created_at, data };
}

/** The final events: one per image. */
export function completedEvents({ name, fields }: ImageOrder<unknown>, { value, usage }: Answered<Json>): Json[] {
  const { created, data, background, output_format, quality, size, usage: told } = value;
  const counted = {
    input_tokens: usage.promptTokens,
    output_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    input_tokens_details: {
      text_tokens: usage.promptTokens - (usage.imageInTokens ?? 0),
      image_tokens: usage.imageInTokens ?? 0,
    },
  };
  return (data as Json[]).map(({ b64_json, ...rest }) => ({
    ...rest,
    type: `${name}.completed`,
    b64_json,
    created_at: created,
    background: background ?? fields.background ?? 'auto',
    output_format: output_format ?? imageType(Buffer.from(String(b64_json).slice(0, 64), 'base64')).extension,
    quality: quality ?? fields.quality ?? 'auto',
    size: size ?? fields.size ?? 'auto',
    usage: isObject(told) ? told : counted,
  }));
}

function refuseOtherCounts(body: Json): void {
  // Upstreams read numbers from text too.
  const name = imageCounts.find((one) => body[one] != null && !(Number(body[one]) <= 1));
  if (name !== undefined) throw unsupported(name, `'${name}' is not supported by this model. Use 'n' instead.`);
}

/** Images that were not ordered are not charged. Image tokens are counted here only if nothing else is priced. */
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
    // Parts are only as reliable as the count.
    ...(!estimated && reported),
    promptTokens: prompt.tokens,
    completionTokens: output.tokens,
    units,
    ...(estimated && { estimated }),
  };
}

/** OpenAI returns URLs by default, except for its gpt-image models, which have none. */
const usualFormat = (candidate: Candidate): Format => (/gpt-image/.test(candidate.modelName) ? 'b64_json' : 'url');

async function picturesOf(data: unknown[], candidate: Candidate, signal: AbortSignal): Promise<Picture[]> {
  if (data.length === 0) throw new UpstreamFault(undone('the upstream returned no image'));
  return Promise.all(
    data.map(async (item) => {
      const { b64_json, url, ...rest } = isObject(item) ? item : {};
      const bytes =
        typeof b64_json === 'string' && b64_json !== ''
          ? (inlineImage(b64_json) ?? Buffer.from(b64_json, 'base64'))
          : typeof url === 'string'
            ? await fetchImage(url, candidate.channel.baseUrl, signal)
            : null;
      if (!bytes?.length) throw new UpstreamFault(failure('the upstream returned no image'));
      return { bytes, rest };
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
