import { z } from 'zod';
import { json, type Route } from '../../platform/http/route.ts';
import type { RelayDeps } from '../deps.ts';
import { embed } from '../endpoints/embeddings.ts';
import { jsonEndpoint, tell } from './json-endpoint.ts';

const input = z.union([z.string(), z.array(z.string()), z.array(z.int()), z.array(z.array(z.int()))]);

const requestSchema = z
  .looseObject({
    model: z.string(),
    input,
    encoding_format: z.enum(['float', 'base64']).optional(),
    dimensions: z.int().min(1).optional(),
    provider: z.looseObject({}).optional(),
  })
  .meta({ id: 'EmbeddingRequest' });

const answerSchema = z
  .looseObject({
    object: z.literal('list'),
    data: z.array(
      z.looseObject({
        object: z.literal('embedding'),
        index: z.int(),
        embedding: z.union([z.array(z.number()), z.string()]),
      }),
    ),
    model: z.string(),
    usage: z.looseObject({ prompt_tokens: z.int(), total_tokens: z.int() }),
  })
  .meta({ id: 'EmbeddingList' });

export const embeddingsRoutes = (deps: RelayDeps): Route[] => [
  jsonEndpoint({
    path: '/v1/embeddings',
    summary: 'Embeddings of texts',
    body: requestSchema,
    answer: answerSchema,
    respond: async (context, body, call) => {
      const answered = await embed(deps, context, body);
      tell(call, answered);
      return json(call, answered.value);
    },
  }),
];
