import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { answered } from '../../platform/http/answers.ts';
import { defineRoute, ok, type Route } from '../../platform/http/route.ts';
import type { RoutingCatalog } from '../catalog-view.ts';
import type { Preferences } from '../rank.ts';
import type { RoutingParts } from '../routing.ts';
import { strategies } from '../score.ts';
import { routing } from './shapes.ts';

const names = z.array(z.string().min(1).max(100)).max(100);

const shape = z
  .object({
    default_strategy: z.enum(strategies).nullable(),
    preferred_providers: names,
    blocked_providers: names,
    max_price: z.number().nonnegative().nullable(),
    min_success_rate: z.number().min(0).max(1).nullable(),
    max_latency_ms: z.int().positive().max(3_600_000).nullable(),
  })
  .meta({ id: 'RoutingPreferences' });

const none: Preferences = {
  defaultStrategy: null,
  preferredProviders: [],
  blockedProviders: [],
  maxPrice: null,
  minSuccessRate: null,
  maxLatencyMs: null,
};

const render = (preferences: Preferences): z.infer<typeof shape> => ({
  default_strategy: preferences.defaultStrategy,
  preferred_providers: [...preferences.preferredProviders],
  blocked_providers: [...preferences.blockedProviders],
  max_price: preferences.maxPrice,
  min_success_rate: preferences.minSuccessRate,
  max_latency_ms: preferences.maxLatencyMs,
});

/** Absent fields stay as they are, null clears. */
const patchSchema = shape.partial();

function patchOf(body: z.infer<typeof patchSchema>): Partial<Preferences> {
  const patch: Partial<Preferences> = {};
  if (body.default_strategy !== undefined) patch.defaultStrategy = body.default_strategy;
  if (body.preferred_providers) patch.preferredProviders = [...new Set(body.preferred_providers)];
  if (body.blocked_providers) patch.blockedProviders = [...new Set(body.blocked_providers)];
  if (body.max_price !== undefined) patch.maxPrice = body.max_price;
  if (body.min_success_rate !== undefined) patch.minSuccessRate = body.min_success_rate;
  if (body.max_latency_ms !== undefined) patch.maxLatencyMs = body.max_latency_ms;
  return patch;
}

async function refuseUnknown(catalog: RoutingCatalog, patch: Partial<Preferences>): Promise<void> {
  const lists = { preferred_providers: patch.preferredProviders, blocked_providers: patch.blockedProviders };
  const known = await catalog.providers();
  for (const [param, names] of Object.entries(lists)) {
    const unknown = names?.find((name) => !known.has(name));
    if (unknown !== undefined) throw new AppError('invalid_value', `There is no provider '${unknown}'.`, { param });
  }
}

export function preferencesRoutes({ preferences, deps }: RoutingParts): Route[] {
  return [
    defineRoute({
      ...routing,
      method: 'get',
      path: '/api/routing/preferences',
      summary: 'Get your routing preferences',
      auth: 'session',
      answers: { 200: answered(shape) },
      handle: async (call) => ok(call, render((await preferences.get(call.principal.user.id)) ?? none)),
    }),
    defineRoute({
      ...routing,
      method: 'put',
      path: '/api/routing/preferences',
      summary: 'Update your routing preferences; omitted fields stay unchanged, null clears a field',
      auth: 'session',
      body: patchSchema,
      answers: { 200: answered(shape) },
      handle: async (call) => {
        const patch = patchOf(call.body);
        await refuseUnknown(deps.catalog, patch);
        return ok(call, render(await preferences.update(call.principal.user.id, patch)));
      },
    }),
  ];
}
