import { z } from '@hono/zod-openapi';
import { defineRoute, ok, type Route } from '../../platform/http/route.ts';
import type { CatalogRoom } from '../../routing/catalog/channels.ts';
import { viewProviderModel } from '../../routing/catalog/routes/fields.ts';
import { idParams, providerModelView } from '../../routing/catalog/routes/schemas.ts';
import type { RelayDeps } from '../deps.ts';
import { syncModels, testChannel } from '../endpoints/channel-tools.ts';

const envelope = <T extends z.ZodType>(data: T) => z.object({ success: z.literal(true), data });

const admin = {
  tag: 'Channels',
  auth: 'admin',
  errors: 'management',
  limit: { option: 'RateLimitApi', by: 'principal' },
  method: 'post',
} as const;

export const channelToolRoutes = (deps: RelayDeps, room: CatalogRoom): Route[] => [
  defineRoute({
    ...admin,
    path: '/api/admin/channels/{id}/test',
    summary: 'Ask the upstream something tiny with the channel’s credential',
    params: idParams,
    answers: { 200: envelope(z.object({ ok: z.boolean(), latency_ms: z.number(), error: z.string().optional() })) },
    handle: async (call) => ok(call, await testChannel(deps, room, call.params.id, call)),
  }),
  defineRoute({
    ...admin,
    path: '/api/admin/channels/{id}/sync-models',
    summary: 'Add the models that the upstream lists; those without a known price wait disabled',
    params: idParams,
    answers: {
      200: envelope(
        z.object({
          added: z.array(providerModelView),
          unpriced: z.int(),
          kept: z.int(),
          missing: z.array(providerModelView),
        }),
      ),
    },
    handle: async (call) => {
      const { added, missing, unpriced, kept } = await syncModels(deps, room, call.params.id, call);
      return ok(call, {
        added: added.map(viewProviderModel),
        missing: missing.map(viewProviderModel),
        unpriced,
        kept,
      });
    },
  }),
];
