import { z } from 'zod';
import { Secret } from '../../lib/changes.ts';
import { AppError } from '../../lib/errors.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { Db } from '../../platform/db/tables.ts';
import { answered, done } from '../../platform/http/answers.ts';
import type { Subject } from '../../platform/http/audit-rule.ts';
import { idText } from '../../platform/http/paging.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import { hint } from '../catalog/routes/fields.ts';
import { secret, status, words } from '../catalog/routes/schemas.ts';
import { builtInChannel } from '../catalog/snapshot.ts';
import { enabled } from '../catalog/store/tables.ts';
import type { OwnKeys } from '../own-keys.ts';
import type { RoutingDeps } from '../routing.ts';
import { findOwnKey, type OwnKeyRecord } from '../store/own-keys.ts';
import { routing } from './shapes.ts';

const fields = {
  name: words,
  credential: secret.min(1),
  fallback: z
    .boolean()
    .describe('Whether others may be asked, at their price, where this key does not help; else it answers or nobody'),
  status,
};
const change = z.strictObject(fields).partial();
const create = change.required({ name: true, credential: true }).extend({ provider: z.string().min(1).max(64) });

const { credential: _, ...shown } = fields;
const view = z
  .object({
    id: z.int(),
    provider: z.string(),
    ...shown,
    credential_hint: z.string().nullable().describe('Last four characters; null when it is short or unreadable'),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: 'OwnKey' });
const list = z.object({
  keys: z.array(view),
  fee: z
    .number()
    .nullable()
    .describe('Share of a model’s price that requests with them cost; null: they are not used here'),
  providers: z.array(z.string()).describe('That serve models which you may use'),
});

const viewOf = (record: OwnKeyRecord, sealer: Sealer): z.infer<typeof view> => ({
  id: record.id,
  provider: record.provider,
  name: record.name,
  fallback: record.fallback,
  status: record.status as 1 | 2,
  credential_hint: hint(record.sealed, sealer),
  created_at: record.createdAt,
  updated_at: record.updatedAt,
});

/** Of the key itself only that it changed. */
const ownKeySubject = (db: Db): Subject => ({
  type: 'own_key',
  look: async (id) => {
    const record = await findOwnKey(db, Number(id));
    if (!record) return null;
    const { provider, name, fallback, status: state, sealed } = record;
    return { name, state: { provider, name, fallback, status: state, credential: new Secret(sealed) } };
  },
});

const base = { ...routing, auth: 'session' } as const;
const path = '/api/routing/own-keys';
const params = z.object({ id: idText });

interface OwnKeyRouteDeps {
  keys: OwnKeys;
  sealer: Sealer;
  deps: Pick<RoutingDeps, 'db' | 'catalog' | 'ownKeyFee'>;
}

export function ownKeyRoutes({ keys, sealer, deps }: OwnKeyRouteDeps): Route[] {
  const subject = ownKeySubject(deps.db);
  const fee = () => deps.ownKeyFee?.() ?? null;
  const { catalog } = deps;
  const reachedBy = async (group: string): Promise<string[]> => {
    const names = (await catalog.allCandidates(group)).map(({ channel }) => channel.provider);
    return [...new Set(names)].filter((name) => name !== builtInChannel.provider).sort();
  };
  return [
    defineRoute({
      ...base,
      method: 'get',
      path,
      summary: 'Keys of your own for providers, masked',
      answers: { 200: answered(list) },
      handle: async (call) => {
        const { id, group } = call.principal.user;
        const shownKeys = (await keys.list(id)).map((record) => viewOf(record, sealer));
        return ok(call, { keys: shownKeys, fee: fee(), providers: await reachedBy(group) });
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path,
      summary: 'Bring a key of your own for a provider: your requests to it go out with that key first',
      idempotent: true,
      body: create,
      audit: { action: 'own_key_created', subject, id: (_call, answer) => answer?.data.id },
      answers: { 201: answered(view) },
      handle: async (call) => {
        if (fee() === null) throw new AppError('forbidden', 'Keys of your own are not in use here.');
        const { provider } = call.body;
        if (provider === builtInChannel.provider || !(await catalog.providers()).has(provider))
          throw new AppError('invalid_value', `There is no provider '${provider}'.`, { param: 'provider' });
        const input = { fallback: false, status: enabled, ...call.body };
        return ok(call, viewOf(await keys.add(call.principal.user.id, input), sealer), 201);
      },
    }),
    defineRoute({
      ...base,
      method: 'put',
      path: `${path}/{id}`,
      summary: 'Change a key of your own; fields not given stay',
      params,
      body: change,
      audit: { action: 'own_key_updated', subject, id: (call) => call.params.id },
      answers: { 200: answered(view) },
      handle: async (call) =>
        ok(call, viewOf(await keys.change(call.principal.user.id, call.params.id, call.body), sealer)),
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: `${path}/{id}`,
      summary: 'Remove a key of your own',
      params,
      audit: { action: 'own_key_deleted', subject, id: (call) => call.params.id },
      answers: { 200: done },
      handle: async (call) => {
        await keys.remove(call.principal.user.id, call.params.id);
        return json(call, { success: true, message: 'The key is removed.' });
      },
    }),
  ];
}
