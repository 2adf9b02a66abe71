import { z } from 'zod';
import { accountNamesOf } from '../../identity/store/names.ts';
import { answered, done } from '../../platform/http/answers.ts';
import { idText, nothingAsked } from '../../platform/http/paging.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import { shownName } from '../../platform/http/shown-text.ts';
import type { OrganisationsContext } from '../context.ts';
import { joinOrganisation, pendingOrganisations } from '../scim/join.ts';
import { scimUrl } from '../scim/routes.ts';
import { makeToken, removeToken } from '../scim/tokens.ts';
import { listScimTokens } from '../store/scim-tokens.ts';
import { countScimUsers } from '../store/scim-users.ts';
import type { ScimTokenRow } from '../store/tables.ts';
import { base, int, organisationParams, root, standing, told } from './shared.ts';

const tokenSchema = z
  .object({
    id: int,
    name: z.string(),
    made_by: z.object({ id: int, username: z.string() }),
    created_at: int,
    last_used_at: int.nullable().describe('Time of last use, to the minute; null if never used'),
  })
  .meta({ id: 'ScimToken' });

async function viewTokens({ db }: OrganisationsContext, rows: ScimTokenRow[]): Promise<z.infer<typeof tokenSchema>[]> {
  const names = await accountNamesOf(
    db,
    rows.map(({ made_by }) => made_by),
  );
  return rows.map(({ id, name, made_by, created_at, last_used_at }) => ({
    ...{ id, name, created_at, last_used_at },
    made_by: { id: made_by, username: names.get(made_by) ?? '' },
  }));
}

/** Access of a company's directory: it can remove owners, so only owners manage it. */
export const directoryRoutes = (room: OrganisationsContext): Route[] => [
  defineRoute({
    ...base,
    method: 'get',
    path: `${root}/{id}/scim`,
    summary: 'Get the SCIM address and tokens for an organisation’s directory',
    params: organisationParams,
    query: nothingAsked,
    answers: {
      200: answered(
        z.object({
          url: z.string(),
          tokens: z.array(tokenSchema),
          people: int.describe('Number of people in the directory'),
          joined: int.describe('Number of them who are members'),
        }),
      ),
    },
    handle: async (call) => {
      const { organisation } = await standing(room, call, 'manage_organisation');
      const tokens = await viewTokens(room, await listScimTokens(room.db, organisation.id));
      return ok(call, { url: scimUrl(room), tokens, ...(await countScimUsers(room.db, organisation.id)) });
    },
  }),
  defineRoute({
    ...base,
    method: 'post',
    path: `${root}/{id}/scim/tokens`,
    summary: 'Create a SCIM token for a directory; shown only once',
    idempotent: true,
    params: organisationParams,
    body: z.strictObject({ name: shownName(64) }),
    audit: { ...told, action: 'scim_token_created', also: (_, { data }) => ({ token_id: data.id, name: data.name }) },
    answers: { 200: answered(tokenSchema.extend({ token: z.string() }).meta({ id: 'NewScimToken' })) },
    handle: async (call) => {
      const acting = await standing(room, call, 'manage_organisation');
      const { token, row } = await makeToken(room, acting, call.body.name);
      call.headers['cache-control'] = 'no-store';
      return ok(call, { ...(await viewTokens(room, [row]))[0], token });
    },
  }),
  defineRoute({
    ...base,
    method: 'delete',
    path: `${root}/{id}/scim/tokens/{scim_token_id}`,
    summary: 'Delete a SCIM token; a directory that uses it is rejected immediately',
    params: organisationParams.extend({ scim_token_id: idText }),
    audit: { ...told, action: 'scim_token_deleted', also: ({ params }) => ({ token_id: params.scim_token_id }) },
    answers: { 200: done },
    handle: async (call) => {
      await removeToken(room, await standing(room, call, 'manage_organisation'), call.params.scim_token_id);
      return json(call, { success: true, message: 'The token was removed.' });
    },
  }),
  defineRoute({
    ...base,
    method: 'get',
    path: '/api/invitations',
    summary: 'List the organisations whose directory lists your verified address and that you have not joined',
    query: nothingAsked,
    answers: {
      200: answered(z.object({ waiting: z.array(z.object({ organisation_id: int, organisation: z.string() })) })),
    },
    handle: async (call) => {
      const waiting = await pendingOrganisations(room.db, call.principal.user.id);
      return ok(call, {
        waiting: waiting.map(({ organisation_id, organisation }) => ({ organisation_id, organisation })),
      });
    },
  }),
  defineRoute({
    ...base,
    method: 'put',
    path: `${root}/{id}/membership`,
    summary: 'Join an organisation whose directory lists you',
    params: organisationParams,
    audit: { ...told, action: 'member_joined' },
    answers: { 200: answered(z.object({ organisation_id: int })) },
    handle: async (call) => {
      await joinOrganisation(room, call.principal.user.id, call.params.id);
      return ok(call, { organisation_id: call.params.id });
    },
  }),
];
