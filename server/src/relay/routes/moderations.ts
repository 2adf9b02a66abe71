import { z } from 'zod';
import { json, type Route } from '../../platform/http/route.ts';
import type { RelayDeps } from '../deps.ts';
import { moderate } from '../endpoints/moderations.ts';
import { jsonEndpoint, tell } from './json-endpoint.ts';

const requestSchema = z
  .looseObject({
    model: z.string().optional(),
    input: z.union([z.string(), z.array(z.string()), z.array(z.looseObject({ type: z.string() }))]),
    provider: z.looseObject({}).optional(),
  })
  .meta({ id: 'ModerationRequest' });

const answerSchema = z
  .looseObject({
    id: z.string(),
    model: z.string(),
    results: z.array(
      z.looseObject({
        flagged: z.boolean(),
        categories: z.record(z.string(), z.boolean()),
        category_scores: z.record(z.string(), z.number()),
      }),
    ),
  })
  .meta({ id: 'Moderation' });

export const moderationsRoutes = (deps: RelayDeps): Route[] => [
  jsonEndpoint({
    path: '/v1/moderations',
    summary: 'Check whether texts violate a content policy',
    body: requestSchema,
    answer: answerSchema,
    respond: async (context, body, call) => {
      const answered = await moderate(deps, context, body);
      tell(call, answered);
      return json(call, answered.value);
    },
  }),
];
