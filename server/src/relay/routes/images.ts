import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { defineRoute, json, type Route } from '../../platform/http/route.ts';
import type { RelayDeps } from '../deps.ts';
import { findImage, type ImageFileDeps, imagePath } from '../endpoints/image-files.ts';
import { drawImages } from '../endpoints/images.ts';
import { jsonEndpoint, tell } from './json-endpoint.ts';

const requestSchema = z
  .looseObject({
    model: z.string().optional(),
    prompt: z.string(),
    n: z.int().min(1).max(10).optional(),
    size: z.string().optional(),
    response_format: z.enum(['url', 'b64_json']).optional(),
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

export const imagesRoutes = (deps: RelayDeps & ImageFileDeps): Route[] => [
  jsonEndpoint({
    path: '/v1/images/generations',
    summary: 'Images from a prompt',
    body: requestSchema,
    answer: answerSchema,
    respond: async (context, body, call) => {
      const answered = await drawImages(deps, context, body);
      tell(call, answered);
      return json(call, answered.value);
    },
  }),
  defineRoute({
    method: 'get',
    path: `${imagePath}{name}`,
    summary: 'An image that was made in the last 24 hours; its address is its only key',
    tag: 'Relay',
    auth: 'none',
    limit: { option: 'RateLimitV1', by: 'ip' },
    errors: 'openai',
    params: z.object({ name: z.string() }),
    answers: { 200: { type: 'image/png', description: 'The image' } },
    handle: async (call) => {
      const image = await findImage(deps, call.params.name);
      if (!image) throw new AppError('not_found', 'There is no such image, or it has run out.');
      const headers = {
        ...call.headers,
        'content-type': image.contentType,
        'content-length': `${image.size}`,
        'cache-control': `private, max-age=${image.secondsLeft}, immutable`,
        // Pages of other sites may show it: whoever knows the address may see it.
        'cross-origin-resource-policy': 'cross-origin',
        'access-control-allow-origin': '*',
        ...(!image.contentType.startsWith('image/') && { 'content-disposition': 'attachment' }),
      };
      return new Response(image.content, { headers });
    },
  }),
];
