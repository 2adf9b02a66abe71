import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { asEvents } from '../../platform/http/answers.ts';
import { type Call, defineRoute, longJson, type Route } from '../../platform/http/route.ts';
import { answerStream } from '../answer-stream.ts';
import type { RelayDeps, RequestContext } from '../deps.ts';
import { eventsOf } from '../endpoints/event-answer.ts';
import { completedEvents, generateImages, type ImageOrder } from '../endpoints/generate-images.ts';
import { findImage, type ImageFileDeps, imagePath } from '../endpoints/image-files.ts';
import { type EditKind, editOrder, fieldsOf, generationOrder } from '../endpoints/images.ts';
import { contextOf } from '../request-context.ts';
import { optionalBoolean } from '../wire/read.ts';
import { failEvent } from './fail-event.ts';
import { flagIn, overrideIn } from './form-fields.ts';
import { jsonEndpoint, relayRoute, tell, whileClientStays } from './json-endpoint.ts';
import { readFormBody } from './read-body.ts';

const requestSchema = z
  .looseObject({
    model: z.string().optional(),
    prompt: z.string(),
    n: z.int().min(1).max(10).optional(),
    size: z.string().optional(),
    response_format: z.enum(['url', 'b64_json']).optional(),
    stream: z.boolean().optional(),
    partial_images: z.int().min(0).max(3).optional(),
    provider: z.looseObject({}).optional(),
  })
  .meta({ id: 'ImageRequest' });

const answerSchema = z
  .looseObject({
    created: z.int(),
    data: z.array(
      z.looseObject({
        url: z.string().optional(),
        b64_json: z.string().optional(),
        revised_prompt: z.string().optional(),
      }),
    ),
  })
  .meta({ id: 'ImageList' });

const imageFile = z.string().meta({ format: 'binary' });

const variationSchema = z
  .looseObject({
    image: imageFile,
    model: z.string().optional(),
    n: z.int().min(1).max(10).optional(),
    size: z.string().optional(),
    response_format: z.enum(['url', 'b64_json']).optional(),
  })
  .meta({ id: 'ImageVariationRequest' });

const editSchema = variationSchema
  .extend({
    image: z.union([imageFile, z.array(imageFile)]),
    prompt: z.string(),
    mask: imageFile.optional(),
    stream: z.boolean().optional(),
    partial_images: z.int().min(0).max(3).optional(),
  })
  .meta({ id: 'ImageEditRequest' });

export const imagesRoutes = (deps: RelayDeps & ImageFileDeps): Route[] => [
  jsonEndpoint({
    path: '/v1/images/generations',
    summary: 'Generate images from a prompt',
    body: requestSchema,
    answer: [answerSchema, asEvents],
    respond: async (context, body, call) => {
      const stream = optionalBoolean(body, 'stream') ?? false;
      return draw(deps, context, call, generationOrder(deps, context, body, stream), stream);
    },
  }),
  editRoute(deps, 'edits', editSchema, 'Edit images with a prompt'),
  editRoute(deps, 'variations', variationSchema, 'Create variations of an image'),
  defineRoute({
    method: 'get',
    path: `${imagePath}{name}`,
    summary: 'Get an image generated in the last 24 hours; anyone with the address can access it',
    tag: 'Relay',
    auth: 'none',
    limit: { option: 'RateLimitV1', by: 'ip' },
    errors: 'openai',
    params: z.object({ name: z.string() }),
    answers: { 200: { type: 'image/*', description: 'The image' } },
    handle: async (call) => {
      const image = await findImage(deps, call.params.name);
      if (!image) throw new AppError('not_found', 'This image does not exist or has expired.');
      const headers = {
        ...call.headers,
        'content-type': image.contentType,
        'content-length': `${image.size}`,
        'cache-control': `private, max-age=${image.secondsLeft}, immutable`,
        // Other sites may embed it: the unguessable address is the permission.
        'cross-origin-resource-policy': 'cross-origin',
        'access-control-allow-origin': '*',
        ...(!image.contentType.startsWith('image/') && { 'content-disposition': 'attachment' }),
      };
      return new Response(image.content, { headers });
    },
  }),
];

function editRoute(deps: RelayDeps & ImageFileDeps, kind: EditKind, body: z.ZodType, summary: string): Route {
  const path = `/v1/images/${kind}`;
  return defineRoute({
    ...relayRoute,
    method: 'post',
    path,
    summary,
    bodyTypes: ['multipart/form-data'],
    body,
    answers: { 200: answerSchema },
    handle: (call) =>
      whileClientStays(call, async () => {
        const form = await readFormBody(call);
        const context = contextOf(call, path, overrideIn(form));
        const stream = kind === 'edits' && flagIn(fieldsOf(form), 'stream');
        return draw(deps, context, call, editOrder(deps, context, form, kind, stream), stream);
      }),
  });
}

/** Whole, or as events: previews if the upstream has them, and the images. */
async function draw<In>(
  deps: RelayDeps & ImageFileDeps,
  context: RequestContext,
  call: Call<'apiKey'>,
  order: ImageOrder<In>,
  stream: boolean,
): Promise<Response> {
  if (!stream) {
    const answered = await generateImages(deps, context, order);
    tell(call, answered);
    return longJson(call, answered.value);
  }
  const opening = eventsOf(async (tellEvent) => {
    const answered = await generateImages(deps, context, order, tellEvent);
    return { candidate: answered.candidate, events: completedEvents(order, answered) };
  }, failEvent);
  return answerStream(deps, call, opening, failEvent);
}
