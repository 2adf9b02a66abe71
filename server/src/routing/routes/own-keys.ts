import { z } from 'zod';
import { Secret } from '../../lib/changes.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { Db } from '../../platform/db/tables.ts';
import { answered, done } from '../../platform/http/answers.ts';
import type { Subject } from '../../platform/http/audit-rule.ts';
import { idText } from '../../platform/http/paging.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import type { OwnKeys } from '../own-keys.ts';
import { findOwnKey } from '../store/own-keys.ts';
import {
  feeOf,
  newOwnKey,
  type OwnKeySurroundings,
  ownKeyChange,
  ownKeyCreate,
  ownKeyList,
  ownKeyView,
  providersFor,
  viewOwnKey,
} from './own-key-fields.ts';
import { routing } from './shapes.ts';

/** Audits that the secret changed, never its value. */
export const ownKeySubject = (db: Db): Subject => ({
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
  deps: OwnKeySurroundings;
}

export function ownKeyRoutes({ keys, sealer, deps }: OwnKeyRouteDeps): Route[] {
  const subject = ownKeySubject(deps.db);
  return [
    defineRoute({
      ...base,
      method: 'get',
      path,
      summary: 'List your own provider keys, masked',
      answers: { 200: answered(ownKeyList) },
      handle: async (call) => {
        const { id, group } = call.principal.user;
        const shown = (await keys.list({ userId: id })).map((record) => viewOwnKey(record, sealer));
        return ok(call, { keys: shown, fee: feeOf(deps), providers: await providersFor(deps, group) });
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path,
      summary: 'Add your own provider key; your requests to the provider use it first',
      idempotent: true,
      body: ownKeyCreate,
      audit: { action: 'own_key_created', subject, id: (_call, answer) => answer?.data.id },
      answers: { 201: answered(ownKeyView) },
      handle: async (call) => {
        const input = await newOwnKey(deps, call.body);
        return ok(call, viewOwnKey(await keys.add({ userId: call.principal.user.id }, input), sealer), 201);
      },
    }),
    defineRoute({
      ...base,
      method: 'put',
      path: `${path}/{id}`,
      summary: 'Update one of your own provider keys; omitted fields stay unchanged',
      params,
      body: ownKeyChange,
      audit: { action: 'own_key_updated', subject, id: (call) => call.params.id },
      answers: { 200: answered(ownKeyView) },
      handle: async (call) => {
        const owner = { userId: call.principal.user.id };
        return ok(call, viewOwnKey(await keys.change(owner, call.params.id, call.body), sealer));
      },
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: `${path}/{id}`,
      summary: 'Remove one of your own provider keys',
      params,
      audit: { action: 'own_key_deleted', subject, id: (call) => call.params.id },
      answers: { 200: done },
      handle: async (call) => {
        await keys.remove({ userId: call.principal.user.id }, call.params.id);
        return json(call, { success: true, message: 'The key was removed.' });
      },
    }),
  ];
}
