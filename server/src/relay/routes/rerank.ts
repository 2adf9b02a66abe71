import { z } from 'zod';
import { longJson, type Route } from '../../platform/http/route.ts';
import type { RelayDeps } from '../deps.ts';
import { rerank } from '../endpoints/rerank.ts';
import type { Json } from '../wire/conversation.ts';
import { jsonEndpoint, tell } from './json-endpoint.ts';

const requestSchema = z
  .looseObject({
    model: z.string(),
    query: z.string(),
    documents: z.array(z.union([z.string(), z.looseObject({ text: z.string() })])).max(1_000),
    top_n: z.int().min(1).optional(),
    return_documents: z.boolean().optional(),
    provider: z.looseObject({}).optional(),
  })
  .meta({ id: 'RerankRequest' });

const answerSchema = z
  .looseObject({
    id: z.string(),
    model: z.string(),
    results: z.array(
      z.looseObject({
        index: z.int(),
        relevance_score: z.number(),
        document: z.object({ text: z.string() }).optional(),
      }),
    ),
    usage: z.looseObject({ total_tokens: z.int(), search_units: z.int() }),
  })
  .meta({ id: 'RerankResult' });

/** Cohere's own shape: billing in `meta`, documents not repeated. */
const cohereSchema = z
  .looseObject({
    id: z.string(),
    results: z.array(z.looseObject({ index: z.int(), relevance_score: z.number() })),
    meta: z.looseObject({ billed_units: z.looseObject({ search_units: z.int() }) }),
  })
  .meta({ id: 'CohereRerankResult' });

function asCohere({ id, results, usage }: Json): Json {
  const { search_units, total_tokens } = usage as Json;
  return {
    id,
    results,
    meta: { api_version: { version: '2' }, billed_units: { search_units }, tokens: { input_tokens: total_tokens } },
  };
}

export const rerankRoutes = (deps: RelayDeps): Route[] => [
  jsonEndpoint({
    path: '/v1/rerank',
    summary: 'Rank documents by relevance to a query',
    body: requestSchema,
    answer: answerSchema,
    respond: async (context, body, call) => {
      const answered = await rerank(deps, context, body);
      tell(call, answered);
      return longJson(call, answered.value);
    },
  }),
  jsonEndpoint({
    path: '/v2/rerank',
    summary: 'Rank documents in the Cohere format, at Cohere’s address',
    body: requestSchema,
    answer: cohereSchema,
    errors: 'cohere',
    respond: async (context, body, call) => {
      const answered = await rerank(deps, context, { return_documents: false, ...body });
      tell(call, answered);
      return longJson(call, asCohere(answered.value));
    },
  }),
];
