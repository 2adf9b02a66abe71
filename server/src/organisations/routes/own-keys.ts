import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { answered, done } from '../../platform/http/answers.ts';
import { idText, nothingAsked } from '../../platform/http/paging.ts';
import { type Call, defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import type { OwnKeys } from '../../routing/own-keys.ts';
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
} from '../../routing/routes/own-key-fields.ts';
import { findOwnKey, type OwnKeyRecord } from '../../routing/store/own-keys.ts';
import type { OrganisationsContext } from '../context.ts';
import { holdTeam, requireTeam } from '../teams.ts';
import { base, organisationParams, root, standing, told } from './shared.ts';

interface TestResult {
  ok: boolean;
  latency_ms: number;
  error?: string;
}
const testResult = z.object({ ok: z.boolean(), latency_ms: z.number(), error: z.string().optional() });

export interface TeamKeyDeps {
  keys: OwnKeys;
  surroundings: OwnKeySurroundings;
  /** Sends a tiny request to the provider. */
  test(record: OwnKeyRecord, asker: Pick<Call<'session'>, 'requestId' | 'signal' | 'principal'>): Promise<TestResult>;
}

const teamParams = organisationParams.extend({ team_id: idText });
const keyParams = teamParams.extend({ key_id: idText });
const path = `${root}/{id}/teams/{team_id}/own-keys`;

type Asked = Pick<Call<'session'>, 'principal'> & { params: { id: number; team_id: number } };

/** Keys of a team at providers. They can never be read again, by any role; members do not see them at all. */
export function teamKeyRoutes(room: OrganisationsContext, { keys, surroundings, test }: TeamKeyDeps): Route[] {
  const ownerIn = async (call: Asked) => {
    const { organisation } = await standing(room, call, 'manage_keys');
    return { teamId: (await requireTeam(room, organisation.id, call.params.team_id)).id };
  };
  const which = ({ params: { team_id, key_id } }: { params: { team_id: number; key_id: number } }) => ({
    team_id,
    own_key_id: key_id,
  });
  return [
    defineRoute({
      ...base,
      method: 'get',
      path,
      summary: 'List a team’s own provider keys, masked',
      params: teamParams,
      query: nothingAsked,
      answers: { 200: answered(ownKeyList) },
      handle: async (call) => {
        const shown = (await keys.list(await ownerIn(call))).map((record) => viewOwnKey(record, room.sealer));
        const providers = await providersFor(surroundings, call.principal.user.group);
        return ok(call, { keys: shown, fee: feeOf(surroundings), providers });
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path,
      summary: 'Add a team’s own provider key; requests of the team use it first',
      idempotent: true,
      params: teamParams,
      body: ownKeyCreate,
      audit: {
        ...told,
        action: 'team_own_key_created',
        also: ({ params }, { data }) => ({
          ...{ team_id: params.team_id, own_key_id: data.id, name: data.name, provider: data.provider },
        }),
      },
      answers: { 201: answered(ownKeyView) },
      handle: async (call) => {
        const owner = await ownerIn(call);
        const input = await newOwnKey(surroundings, call.body);
        const { id, team_id } = call.params;
        const added = await keys.add(owner, input, (tx) => holdTeam(tx, id, team_id));
        return ok(call, viewOwnKey(added, room.sealer), 201);
      },
    }),
    defineRoute({
      ...base,
      method: 'put',
      path: `${path}/{key_id}`,
      summary: 'Update a team’s own provider key; omitted fields stay unchanged',
      params: keyParams,
      body: ownKeyChange,
      audit: {
        ...told,
        action: 'team_own_key_updated',
        // The audit log only says that the key changed.
        also: (call) => ({ ...which(call), changed: Object.keys(call.body) }),
      },
      answers: { 200: answered(ownKeyView) },
      handle: async (call) => {
        const changed = await keys.change(await ownerIn(call), call.params.key_id, call.body);
        return ok(call, viewOwnKey(changed, room.sealer));
      },
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: `${path}/{key_id}`,
      summary: 'Remove a team’s own provider key',
      params: keyParams,
      audit: { ...told, action: 'team_own_key_deleted', also: which },
      answers: { 200: done },
      handle: async (call) => {
        await keys.remove(await ownerIn(call), call.params.key_id);
        return json(call, { success: true, message: 'The key was removed.' });
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: `${path}/{key_id}/test`,
      summary: 'Test a team’s own provider key with a minimal request',
      params: keyParams,
      audit: { ...told, action: 'team_own_key_tested', also: (call, { data }) => ({ ...which(call), ok: data.ok }) },
      answers: { 200: answered(testResult) },
      handle: async (call) => {
        const { teamId } = await ownerIn(call);
        const record = await findOwnKey(room.db, call.params.key_id);
        if (!record || !('teamId' in record.owner) || record.owner.teamId !== teamId)
          throw new AppError('not_found', `There is no key ${call.params.key_id}.`);
        return ok(call, await test(record, call));
      },
    }),
  ];
}
