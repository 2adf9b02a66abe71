import { z } from 'zod';
import { answered } from '../../platform/http/answers.ts';
import { idParams } from '../../platform/http/paging.ts';
import { defineRoute, ok, type Route } from '../../platform/http/route.ts';
import type { CatalogContext } from '../../routing/catalog/channels.ts';
import { credentialParams } from '../../routing/catalog/routes/credential-fields.ts';
import { viewProviderModel } from '../../routing/catalog/routes/fields.ts';
import { providerModelView } from '../../routing/catalog/routes/schemas.ts';
import { channelSubject } from '../../routing/catalog/routes/subjects.ts';
import type { RelayDeps } from '../deps.ts';
import { syncModels, testChannel } from '../endpoints/channel-tools.ts';
import { testCredential } from '../endpoints/key-tests.ts';

const admin = {
  tag: 'Channels',
  auth: 'admin',
  errors: 'management',
  limit: { option: 'RateLimitApi', by: 'principal' },
  method: 'post',
} as const;

export const testResult = z.object({ ok: z.boolean(), latency_ms: z.number(), error: z.string().optional() });

export const channelToolRoutes = (deps: RelayDeps, room: CatalogContext): Route[] => [
  defineRoute({
    ...admin,
    path: '/api/admin/channels/{id}/test',
    summary: 'Test a channel’s credential with a minimal request to the upstream',
    params: idParams,
    audit: {
      action: 'channel_tested',
      subject: channelSubject(room),
      id: (call) => call.params.id,
      also: (_, { data }) => ({ ok: data.ok }),
    },
    answers: { 200: answered(testResult) },
    handle: async (call) => ok(call, await testChannel(deps, room, call.params.id, call)),
  }),
  defineRoute({
    ...admin,
    path: '/api/admin/channels/{id}/credentials/{credential_id}/test',
    summary: 'Test one credential of a channel with a minimal request to the upstream',
    params: credentialParams,
    audit: {
      action: 'credential_tested',
      subject: channelSubject(room),
      id: (call) => call.params.id,
      also: ({ params }, { data }) => ({ credential_id: params.credential_id, ok: data.ok }),
    },
    answers: { 200: answered(testResult) },
    handle: async (call) => ok(call, await testCredential(deps, room, call.params, call)),
  }),
  defineRoute({
    ...admin,
    path: '/api/admin/channels/{id}/sync-models',
    summary: 'Import the models that the upstream lists; models without a known price are disabled',
    idempotent: true,
    params: idParams,
    audit: {
      action: 'channel_models_synced',
      subject: channelSubject(room),
      id: (call) => call.params.id,
      also: (_, { data }) => ({ added: data.added.length, missing: data.missing.length, unpriced: data.unpriced }),
    },
    answers: {
      200: answered(
        z.object({
          added: z.array(providerModelView),
          unpriced: z.int(),
          kept: z.int(),
          completed: z
            .int()
            .describe('Models that already had the listed price and now also have prices for each part'),
          missing: z.array(providerModelView),
        }),
      ),
    },
    handle: async (call) => {
      const { added, missing, unpriced, kept, completed } = await syncModels(deps, room, call.params.id, call);
      return ok(call, {
        added: added.map(viewProviderModel),
        missing: missing.map(viewProviderModel),
        unpriced,
        kept,
        completed,
      });
    },
  }),
];
