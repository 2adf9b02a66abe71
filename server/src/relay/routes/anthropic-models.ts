import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { wholeNumber } from '../../platform/http/paging.ts';
import { defineRoute, json, type Route } from '../../platform/http/route.ts';
import type { ModelListing } from '../../routing/catalog/listing.ts';
import type { RelayDeps } from '../deps.ts';
import { describeModel, listModels, type ModelView } from '../endpoints/list-models.ts';
import { contextOf } from '../request-context.ts';
import { relayRoute } from './json-endpoint.ts';

const route = { ...relayRoute, errors: 'anthropic' } as const;
/** Its clients use `/v1/models`, as OpenAI's do. */
const path = '/v1/anthropic/models';

const modelSchema = z
  .looseObject({
    id: z.string(),
    type: z.literal('model'),
    display_name: z.string(),
    created_at: z.string(),
    max_input_tokens: z.int().nullable(),
    max_tokens: z.int().nullable(),
    capabilities: z.null(),
    lifecycle: z.literal('active'),
    line: z.null(),
    deprecated_at: z.null(),
    retires_at: z.null(),
  })
  .meta({ id: 'AnthropicModel' });

const listSchema = z
  .object({
    data: z.array(modelSchema),
    has_more: z.boolean(),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
  })
  .meta({ id: 'AnthropicModelList' });

const pageQuery = z.looseObject({
  limit: wholeNumber(1, 1_000).optional(),
  after_id: z.string().optional(),
  before_id: z.string().optional(),
});

/** A model in Anthropic's form; only Anthropic itself describes capabilities in its terms. */
const viewOf = ({ id, display_name, created_at, context_length, max_output_tokens }: ModelView) => ({
  ...{ id, type: 'model', display_name, created_at },
  ...{ max_input_tokens: context_length, max_tokens: max_output_tokens },
  ...{ capabilities: null, lifecycle: 'active', line: null, deprecated_at: null, retires_at: null },
});

/** Without a limit everything is on one page, since some clients read only the first. */
function pageOf(models: ModelView[], { limit = models.length, after_id, before_id }: z.infer<typeof pageQuery>) {
  const placeOf = (param: string, name: string): number => {
    const place = models.findIndex(({ id }) => id === name);
    if (place < 0) throw new AppError('not_found', `${param}: there is no such model.`, { param });
    return place;
  };
  const from = after_id === undefined ? 0 : placeOf('after_id', after_id) + 1;
  const to = before_id === undefined ? models.length : placeOf('before_id', before_id);
  const start = after_id === undefined && before_id !== undefined ? Math.max(0, to - limit) : from;
  const end = Math.max(start, Math.min(to, start + limit));
  const shown = models.slice(start, end);
  return {
    data: shown.map(viewOf),
    has_more: start > from || end < to,
    first_id: shown[0]?.id ?? null,
    last_id: shown.at(-1)?.id ?? null,
  };
}

/** The models of `/v1/models` in Anthropic's format. */
export const anthropicModelsRoutes = (deps: RelayDeps, own: () => readonly ModelListing[]): Route[] => [
  defineRoute({
    ...route,
    method: 'get',
    path,
    summary: 'List the models that the key may use in the Anthropic format: `/v1/models` with `anthropic-version`',
    query: pageQuery,
    answers: { 200: listSchema },
    handle: async (call) =>
      json(call, pageOf(await listModels(deps, contextOf(call, '/v1/models').caller, own()), call.query)),
  }),
  defineRoute({
    ...route,
    method: 'get',
    path: `${path}/{model_id+}`,
    summary: 'Get a model in the Anthropic format',
    params: z.object({ model_id: z.string() }),
    answers: { 200: modelSchema },
    handle: async (call) =>
      json(call, viewOf(await describeModel(deps, contextOf(call, '/v1/models').caller, own(), call.params.model_id))),
  }),
];
