import { z } from 'zod';
import { longJson, type Route } from '../../platform/http/route.ts';
import type { RelayDeps } from '../deps.ts';
import { embed } from '../endpoints/embeddings.ts';
import { parseCohereEmbed, renderCohereEmbed } from '../wire/cohere/embed.ts';
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

const cohereRequest = z
  .looseObject({
    model: z.string(),
    texts: z.array(z.string()).max(96).optional(),
    inputs: z.array(z.looseObject({ content: z.array(z.looseObject({ type: z.literal('text') })) })).optional(),
    input_type: z.enum(['search_document', 'search_query', 'classification', 'clustering']),
    embedding_types: z.array(z.enum(['float', 'base64'])).optional(),
    output_dimension: z.int().min(1).optional(),
    truncate: z.enum(['NONE', 'START', 'END']).optional(),
    provider: z.looseObject({}).optional(),
  })
  .meta({ id: 'CohereEmbedRequest' });

const cohereAnswer = z
  .looseObject({
    id: z.string(),
    embeddings: z.looseObject({
      float: z.array(z.array(z.number())).optional(),
      base64: z.array(z.string()).optional(),
    }),
    texts: z.array(z.string()),
    meta: z.looseObject({ billed_units: z.looseObject({ input_tokens: z.int() }) }),
    response_type: z.literal('embeddings_by_type'),
  })
  .meta({ id: 'CohereEmbedResult' });

export const embeddingsRoutes = (deps: RelayDeps): Route[] => [
  jsonEndpoint({
    path: '/v1/embeddings',
    summary: 'Create embeddings of texts',
    body: requestSchema,
    answer: answerSchema,
    respond: async (context, body, call) => {
      const answered = await embed(deps, context, body);
      tell(call, answered);
      return longJson(call, answered.value);
    },
  }),
  jsonEndpoint({
    path: '/v2/embed',
    summary: 'Create embeddings in the Cohere format, at Cohere’s address',
    body: cohereRequest,
    answer: cohereAnswer,
    errors: 'cohere',
    respond: async (context, body, call) => {
      const asked = parseCohereEmbed(body);
      const answered = await embed(deps, context, asked.body);
      tell(call, answered);
      return longJson(call, renderCohereEmbed(answered.value, asked));
    },
  }),
];
