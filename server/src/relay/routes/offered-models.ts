import { z } from 'zod';
import { answered } from '../../platform/http/answers.ts';
import { okCompressed } from '../../platform/http/compressed-answer.ts';
import { type Call, defineRoute, ok, type Route } from '../../platform/http/route.ts';
import { modelTypes } from '../../routing/candidate.ts';
import type { ModelListing } from '../../routing/catalog/listing.ts';
import { prices } from '../../routing/catalog/routes/schemas.ts';
import type { Caller, RelayDeps } from '../deps.ts';
import { abilities } from '../endpoints/model-abilities.ts';
import { offeredModel, offeredModels } from '../endpoints/offered-models.ts';

const health = z.object({
  circuit_state: z.enum(['closed', 'open', 'half_open']),
  requests_last_hour: z.int().describe('0 if nothing was measured and the rate is assumed'),
  success_rate_last_hour: z.number(),
});

const limits = { context_length: z.int().nullable(), max_output_tokens: z.int().nullable() };

const summary = z
  .object({
    id: z.string(),
    name: z.string(),
    owned_by: z.string(),
    types: z.array(z.enum(modelTypes)).describe('Empty if only a channel lists the model'),
    ...limits,
    prices: prices
      .nullable()
      .describe('Lowest prices among its providers; null if other models answer at their own prices'),
    capabilities: z.array(z.enum(abilities)),
    providers: z.array(z.string()),
    unavailable: z.array(z.string()).describe('Providers currently skipped because their circuit breakers are open'),
    members: z.array(z.string()).describe('Models that an alias or a group stands for'),
    health: health.nullable().describe('Health of the providers that would be tried; null if other models answer'),
  })
  .meta({ id: 'OfferedModel' });

const offer = z.object({
  provider: z.string(),
  channel_id: z.int(),
  model_id: z.string(),
  type: z.enum(modelTypes),
  prices,
  ...limits,
  health,
  p50_latency_ms: z.int().nullable(),
  p50_ttft_ms: z.int().nullable(),
  tokens_per_second: z.number().nullable(),
});

const detail = summary
  .extend({ supported_parameters: z.array(z.string()), offers: z.array(offer).describe('Providers of this model') })
  .meta({ id: 'OfferedModelDetail' });

const models = {
  tag: 'Models',
  auth: 'session',
  errors: 'management',
  limit: { option: 'RateLimitApi', by: 'principal' },
  method: 'get',
} as const;

/** The web app calls without a key. */
const callerOf = ({ principal: { user } }: Call<'session'>): Caller => ({
  userId: user.id,
  group: user.group,
  keyId: null,
  keyUnlimited: true,
  models: [],
});

/** Models for the web app; API clients use `/v1/models`. */
export const offeredModelsRoutes = (deps: RelayDeps, own: () => readonly ModelListing[]): Route[] => [
  defineRoute({
    ...models,
    path: '/api/models',
    summary: 'List the models you can use, with prices, context, capabilities and health',
    answers: { 200: answered(z.object({ models: z.array(summary) })) },
    handle: async (call) => okCompressed(call, { models: await offeredModels(deps, callerOf(call), own()) }),
  }),
  defineRoute({
    ...models,
    path: '/api/models/{model_id+}',
    summary: 'Get a model and all providers that serve it',
    params: z.object({ model_id: z.string() }),
    answers: { 200: answered(detail) },
    handle: async (call) => ok(call, await offeredModel(deps, callerOf(call), own(), call.params.model_id)),
  }),
];
