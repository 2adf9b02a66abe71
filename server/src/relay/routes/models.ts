import { z } from 'zod';
import { defineRoute, json, type Route } from '../../platform/http/route.ts';
import type { ModelListing } from '../../routing/catalog/listing.ts';
import type { RelayDeps } from '../deps.ts';
import { describeModel, listModels } from '../endpoints/list-models.ts';
import { contextOf } from '../request-context.ts';
import { relayRoute } from './json-endpoint.ts';

const modelSchema = z
  .looseObject({
    id: z.string(),
    object: z.literal('model'),
    created: z.int(),
    owned_by: z.string(),
    name: z.string(),
    context_length: z.int().nullable(),
    pricing: z
      .looseObject({ prompt: z.string(), completion: z.string() })
      .describe('USD per token; "-1" if it depends on the models that a request is passed to'),
    supported_parameters: z.array(z.string()),
  })
  .meta({ id: 'Model' });

const listSchema = z.looseObject({ object: z.literal('list'), data: z.array(modelSchema) }).meta({ id: 'ModelList' });

/** `own`: built-in models, such as the orchestration engine. */
export function modelsRoutes(deps: RelayDeps, own: () => readonly ModelListing[] = () => []): Route[] {
  return [
    defineRoute({
      ...relayRoute,
      method: 'get',
      path: '/v1/models',
      summary: 'List the models that the key may use',
      answers: { 200: listSchema },
      handle: async (call) => {
        const data = await listModels(deps, contextOf(call, '/v1/models').caller, own());
        return json(call, { object: 'list', data });
      },
    }),
    defineRoute({
      ...relayRoute,
      method: 'get',
      path: '/v1/models/{model_id+}',
      summary: 'Get a model, including its price and supported inputs',
      params: z.object({ model_id: z.string() }),
      answers: { 200: modelSchema },
      handle: async (call) =>
        json(call, await describeModel(deps, contextOf(call, '/v1/models').caller, own(), call.params.model_id)),
    }),
  ];
}
