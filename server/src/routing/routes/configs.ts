import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { answered, listed } from '../../platform/http/answers.ts';
import type { Subject } from '../../platform/http/audit-rule.ts';
import { offsetOf, pageQuery } from '../../platform/http/paging.ts';
import { defineRoute, ok, type Route } from '../../platform/http/route.ts';
import type { ConfigPatch } from '../configs.ts';
import type { ModelConfig } from '../rank.ts';
import type { RoutingParts } from '../routing.ts';
import { defaultWeights, strategies } from '../score.ts';
import { routing } from './shapes.ts';

const weight = z.number().min(0).max(1_000_000);

const editable = z.object({
  latency_weight: weight,
  success_rate_weight: weight,
  price_weight: weight,
  provider_priority_weight: weight,
  default_strategy: z.enum(strategies).nullable(),
});

const shape = editable
  .extend({
    canonical_model_id: z.string(),
    /** False if these are the defaults. */
    configured: z.boolean(),
  })
  .meta({ id: 'RoutingConfig' });

/** Absent fields stay as they are, or at their default. */
const patchSchema = editable.partial();
const params = z.object({ model_id: z.string().min(1).max(200) });

const render = (modelId: string, config: ModelConfig | null): z.infer<typeof shape> => {
  const weights = config?.weights ?? defaultWeights;
  return {
    canonical_model_id: modelId,
    latency_weight: weights.latency,
    success_rate_weight: weights.successRate,
    price_weight: weights.price,
    provider_priority_weight: weights.priority,
    default_strategy: config?.defaultStrategy ?? null,
    configured: config !== null,
  };
};

function patchOf(body: z.infer<typeof patchSchema>): ConfigPatch {
  const weights: ConfigPatch['weights'] = {};
  if (body.latency_weight !== undefined) weights.latency = body.latency_weight;
  if (body.success_rate_weight !== undefined) weights.successRate = body.success_rate_weight;
  if (body.price_weight !== undefined) weights.price = body.price_weight;
  if (body.provider_priority_weight !== undefined) weights.priority = body.provider_priority_weight;
  return { weights, ...(body.default_strategy !== undefined && { defaultStrategy: body.default_strategy }) };
}

const unknownModel = (modelId: string): AppError => new AppError('not_found', `There is no model '${modelId}'.`);

export function configRoutes(parts: RoutingParts): Route[] {
  return [...readRoutes(parts), ...writeRoutes(parts)];
}

function readRoutes({ configs, deps }: RoutingParts): Route[] {
  return [
    defineRoute({
      ...routing,
      method: 'get',
      path: '/api/routing/configs',
      summary: 'List the models with their own routing configuration',
      auth: 'session',
      query: pageQuery,
      answers: { 200: listed({ configs: z.array(shape) }) },
      handle: (call) => {
        const all = [...configs.all()];
        const start = offsetOf(call.query);
        const shown = all.slice(start, start + call.query.page_size);
        const rendered = shown.map(([modelId, config]) => render(modelId, config));
        return ok(call, { configs: rendered, total: all.length, ...call.query });
      },
    }),
    defineRoute({
      ...routing,
      method: 'get',
      path: '/api/routing/configs/{model_id+}',
      summary: 'Get the routing configuration of a model',
      auth: 'session',
      params,
      answers: { 200: answered(shape) },
      handle: async (call) => {
        const { model_id: modelId } = call.params;
        const config = configs.get(modelId);
        if (!config && !(await deps.catalog.hasModel(modelId))) throw unknownModel(modelId);
        return ok(call, render(modelId, config));
      },
    }),
  ];
}

/** The state of a model's configuration before and after an audited action. */
const configSubject = (configs: RoutingParts['configs']): Subject => ({
  type: 'routing_config',
  look: async (modelId) => {
    const config = configs.get(String(modelId));
    if (!config) return null;
    const { canonical_model_id: _, configured: __, ...state } = render(String(modelId), config);
    return { state };
  },
});

function writeRoutes({ configs, deps }: RoutingParts): Route[] {
  const subject = configSubject(configs);
  return [
    defineRoute({
      ...routing,
      method: 'put',
      path: '/api/routing/configs/{model_id+}',
      summary: 'Set the routing configuration of a model',
      auth: 'admin',
      params,
      body: patchSchema,
      audit: { action: 'routing_config_set', subject, id: (call) => call.params.model_id },
      answers: { 200: answered(shape) },
      handle: async (call) => {
        const { model_id: modelId } = call.params;
        if (!configs.get(modelId) && !(await deps.catalog.hasModel(modelId))) throw unknownModel(modelId);
        return ok(call, render(modelId, await configs.update(modelId, patchOf(call.body))));
      },
    }),
    defineRoute({
      ...routing,
      method: 'delete',
      path: '/api/routing/configs/{model_id+}',
      summary: 'Reset a model to the default routing',
      auth: 'admin',
      params,
      audit: { action: 'routing_config_removed', subject, id: (call) => call.params.model_id },
      answers: { 200: answered(shape) },
      handle: async (call) => {
        const { model_id: modelId } = call.params;
        if (!(await configs.remove(modelId))) {
          throw new AppError('not_found', `The model '${modelId}' has no routing configuration.`);
        }
        return ok(call, render(modelId, null));
      },
    }),
  ];
}
