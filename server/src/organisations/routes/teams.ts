import { z } from 'zod';
import { answered, done } from '../../platform/http/answers.ts';
import { idText, nothingAsked } from '../../platform/http/paging.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import type { OrganisationsContext } from '../context.ts';
import type { TeamRow } from '../store/tables.ts';
import { listTeams } from '../store/teams.ts';
import { addToTeam, changeTeam, createTeam, endTeam, removeFromTeam, teamName } from '../teams.ts';
import { base, int, organisationParams, root, standing, told } from './shared.ts';

const teamSchema = z.object({ id: int, name: z.string(), created_at: int }).meta({ id: 'Team' });
const body = z.strictObject({ name: teamName });
const teamParams = organisationParams.extend({ team_id: idText });
const memberParams = teamParams.extend({ user_id: idText });

const viewOf = ({ id, name, created_at }: TeamRow): z.infer<typeof teamSchema> => ({ id, name, created_at });

export function teamRoutes(room: OrganisationsContext): Route[] {
  return [
    defineRoute({
      ...base,
      method: 'get',
      path: `${root}/{id}/teams`,
      summary: 'List the teams of an organisation',
      params: organisationParams,
      query: nothingAsked,
      answers: { 200: answered(z.object({ teams: z.array(teamSchema) })) },
      handle: async (call) => {
        const { organisation } = await standing(room, call, 'see');
        return ok(call, { teams: (await listTeams(room.db, organisation.id)).map(viewOf) });
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: `${root}/{id}/teams`,
      summary: 'Create a team',
      idempotent: true,
      params: organisationParams,
      body,
      audit: { ...told, action: 'team_created', also: (_, { data }) => ({ team_id: data.id, name: data.name }) },
      answers: { 200: answered(teamSchema) },
      handle: async (call) => {
        const { organisation } = await standing(room, call, 'manage_teams');
        return ok(call, viewOf(await createTeam(room, organisation.id, call.body.name)));
      },
    }),
    defineRoute({
      ...base,
      method: 'put',
      path: `${root}/{id}/teams/{team_id}`,
      summary: 'Rename a team',
      params: teamParams,
      body,
      audit: {
        ...told,
        action: 'team_updated',
        also: ({ params, body: given }) => ({ team_id: params.team_id, name: given.name }),
      },
      answers: { 200: answered(teamSchema) },
      handle: async (call) => {
        const { organisation } = await standing(room, call, 'manage_teams');
        return ok(call, viewOf(await changeTeam(room, organisation.id, call.params.team_id, call.body)));
      },
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: `${root}/{id}/teams/{team_id}`,
      summary: 'Delete a team with its keys, budgets and limits; its members stay in the organisation',
      params: teamParams,
      audit: { ...told, action: 'team_deleted', also: ({ params }) => ({ team_id: params.team_id }) },
      answers: { 200: done },
      handle: async (call) => {
        const { organisation } = await standing(room, call, 'manage_teams');
        await endTeam(room, organisation.id, call.params.team_id);
        return json(call, { success: true, message: 'The team was deleted.' });
      },
    }),
    ...placeRoutes(room),
  ];
}

/** Team membership. */
function placeRoutes(room: OrganisationsContext): Route[] {
  type Named = { params: z.infer<typeof memberParams> };
  const about = { ...told, also: ({ params: { team_id, user_id } }: Named) => ({ team_id, user_id }) };
  const shared = { ...base, path: `${root}/{id}/teams/{team_id}/members/{user_id}`, params: memberParams } as const;
  return [
    defineRoute({
      ...shared,
      method: 'put',
      summary: 'Add a member to a team; members can be in several teams',
      audit: { action: 'team_member_added', ...about },
      answers: { 200: done },
      handle: async (call) => {
        const { organisation } = await standing(room, call, 'manage_teams');
        await addToTeam(room, organisation.id, call.params.team_id, call.params.user_id);
        return json(call, { success: true, message: 'The member was added to the team.' });
      },
    }),
    defineRoute({
      ...shared,
      method: 'delete',
      summary: 'Remove a member from a team; their own keys in it stop working, the team’s keys stay',
      audit: { action: 'team_member_removed', ...about },
      answers: { 200: done },
      handle: async (call) => {
        const { organisation } = await standing(room, call, 'manage_teams');
        await removeFromTeam(room, organisation.id, call.params.team_id, call.params.user_id);
        return json(call, { success: true, message: 'The member was removed from the team.' });
      },
    }),
  ];
}
