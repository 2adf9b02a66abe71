import { z } from 'zod';
import { Secret } from '../../../lib/changes.ts';
import { answered } from '../../../platform/http/answers.ts';
import type { Subject } from '../../../platform/http/audit-rule.ts';
import { idParams } from '../../../platform/http/paging.ts';
import { defineRoute, ok, type Route } from '../../../platform/http/route.ts';
import type { CredentialHealth } from '../../credential-health.ts';
import type { CatalogContext } from '../channels.ts';
import {
  addCredential,
  changeCredential,
  credentialDefaults,
  credentialsOf,
  removeCredential,
} from '../credentials.ts';
import { type CredentialRecord, findCredentialById } from '../store/credentials.ts';
import { admin } from './channels.ts';
import {
  credentialChange,
  credentialCreate,
  credentialGiven,
  credentialParams,
  credentialView,
  viewCredential,
} from './credential-fields.ts';
import { answers } from './schemas.ts';

export type CredentialRouteDeps = CatalogContext & {
  /** By id of the credential. */
  credentialHealth?(): Promise<ReadonlyMap<number, CredentialHealth>>;
};

const path = '/api/admin/channels/{id}/credentials';

/** Audits that the secret changed, never its value. */
const credentialSubject = ({ db, sealer }: Pick<CatalogContext, 'db' | 'sealer'>): Subject => ({
  type: 'credential',
  look: async (id) => {
    const record = await findCredentialById(db, Number(id));
    if (!record) return null;
    const {
      id: _,
      credential_hint: __,
      health: ___,
      created_at,
      updated_at,
      ...state
    } = viewCredential(record, sealer, undefined);
    return { name: record.name, state: { ...state, credential: new Secret(record.sealed) } };
  },
});

export function credentialRoutes(room: CredentialRouteDeps): Route[] {
  const subject = credentialSubject(room);
  const one = answered(credentialView);
  const view = async (record: CredentialRecord) =>
    viewCredential(record, room.sealer, (await room.credentialHealth?.())?.get(record.id));
  return [
    defineRoute({
      ...admin,
      method: 'get',
      path,
      summary: 'List the credentials of a channel, masked, with the health and limits of each',
      params: idParams,
      answers: { 200: answered(z.object({ credentials: z.array(credentialView) })) },
      handle: async (call) => {
        const records = await credentialsOf(room, call.params.id);
        const health = await room.credentialHealth?.();
        const credentials = records.map((record) => viewCredential(record, room.sealer, health?.get(record.id)));
        return ok(call, { credentials });
      },
    }),
    defineRoute({
      ...admin,
      method: 'post',
      path,
      summary: 'Add a credential to a channel',
      idempotent: true,
      params: idParams,
      body: credentialCreate,
      audit: { action: 'credential_created', subject, id: (_, answer) => answer?.data.id },
      answers: { 201: one },
      handle: async (call) => {
        const { name, credential } = call.body;
        const fields = { ...credentialDefaults, ...credentialGiven(call.body), name, credential };
        return ok(call, await view(await addCredential(room, call.params.id, fields)), 201);
      },
    }),
    defineRoute({
      ...admin,
      method: 'put',
      path: `${path}/{credential_id}`,
      summary: 'Update a credential of a channel; omitted fields stay unchanged, null removes a limit',
      params: credentialParams,
      body: credentialChange,
      audit: { action: 'credential_updated', subject, id: (call) => call.params.credential_id },
      answers: { 200: one },
      handle: async (call) => {
        const { id, credential_id } = call.params;
        return ok(call, await view(await changeCredential(room, id, credential_id, credentialGiven(call.body))));
      },
    }),
    defineRoute({
      ...admin,
      method: 'delete',
      path: `${path}/{credential_id}`,
      summary: 'Remove a credential of a channel; if it was the first, the next one takes its place',
      params: credentialParams,
      audit: { action: 'credential_deleted', subject, id: (call) => call.params.credential_id },
      answers: { 200: answers.done },
      handle: async (call) => {
        const { id, credential_id } = call.params;
        await removeCredential(room, id, credential_id);
        return ok(call, { id: credential_id });
      },
    }),
  ];
}
