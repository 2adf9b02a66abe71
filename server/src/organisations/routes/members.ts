import { z } from 'zod';
import { accountNamesOf } from '../../identity/store/names.ts';
import { answered, done } from '../../platform/http/answers.ts';
import { idText, nothingAsked } from '../../platform/http/paging.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import type { OrganisationsContext } from '../context.ts';
import { changeMember, endMembership, membersOf } from '../members.ts';
import type { Memberships } from '../memberships.ts';
import { base, int, organisationParams, roleField, root, standing, told } from './shared.ts';

const memberSchema = z
  .object({
    user_id: int,
    username: z.string(),
    role: roleField,
    teams: z.array(int).describe('IDs of the member’s teams'),
    created_at: int,
    directory: z.boolean().describe('Whether the company’s directory lists the member'),
  })
  .meta({ id: 'OrganisationMember' });
const params = organisationParams.extend({ user_id: idText });

export const memberRoutes = (room: OrganisationsContext, memberships: Pick<Memberships, 'left'>): Route[] => [
  defineRoute({
    ...base,
    method: 'get',
    path: `${root}/{id}/members`,
    summary: 'List the members of an organisation with their roles and teams',
    params: organisationParams,
    query: nothingAsked,
    answers: { 200: answered(z.object({ members: z.array(memberSchema) })) },
    handle: async (call) => {
      const { organisation } = await standing(room, call, 'see');
      const rows = await membersOf(room, organisation.id);
      const names = await accountNamesOf(
        room.db,
        rows.map(({ user_id }) => user_id),
      );
      const members = rows.map(({ organisation_id: _, scim_user_id, ...member }) => ({
        ...member,
        directory: scim_user_id !== null,
        username: names.get(member.user_id) ?? '',
      }));
      return ok(call, { members });
    },
  }),
  defineRoute({
    ...base,
    method: 'put',
    path: `${root}/{id}/members/{user_id}`,
    summary: 'Update the role of a member',
    params,
    body: z.strictObject({ role: roleField }),
    audit: {
      ...told,
      action: 'member_updated',
      also: ({ params: { user_id }, body }) => ({ user_id, role: body.role }),
    },
    answers: { 200: done },
    handle: async (call) => {
      const acting = await standing(room, call, 'manage_members');
      await changeMember(room, acting, call.params.user_id, call.body.role);
      return json(call, { success: true, message: 'The role was changed.' });
    },
  }),
  defineRoute({
    ...base,
    method: 'delete',
    path: `${root}/{id}/members/{user_id}`,
    summary: 'Remove a member, or leave the organisation; the member’s own keys in it stop working',
    params,
    audit: { ...told, action: 'member_removed', also: ({ params: { user_id } }) => ({ user_id }) },
    answers: { 200: done },
    handle: async (call) => {
      // Everybody may leave.
      const acting = await standing(room, call, 'see');
      await endMembership(room, acting, call.params.user_id, memberships);
      return json(call, { success: true, message: 'The membership was ended.' });
    },
  }),
];
