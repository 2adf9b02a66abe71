import { z } from 'zod';
import { answered } from '../../platform/http/answers.ts';
import { nothingAsked } from '../../platform/http/paging.ts';
import { defineRoute, ok, type Route } from '../../platform/http/route.ts';
import type { OrganisationsContext } from '../context.ts';
import { listPlacedApplications } from '../store/applications.ts';
import { base, int, organisationParams, root, standing } from './shared.ts';

const applicationSchema = z
  .object({
    id: int,
    name: z.string().describe('Name of the application when it was transferred to the team'),
    owner: z.object({ type: z.literal('team'), id: int }),
    created_at: int,
  })
  .meta({ id: 'TeamApplication' });

/** They are managed with all other applications, at `/api/oauth2/applications/{app_id}`. */
export const applicationRoutes = (room: OrganisationsContext): Route[] => [
  defineRoute({
    ...base,
    method: 'get',
    path: `${root}/{id}/applications`,
    summary: 'List the applications that belong to teams of an organisation',
    params: organisationParams,
    query: nothingAsked,
    answers: { 200: answered(z.object({ applications: z.array(applicationSchema) })) },
    handle: async (call) => {
      const { organisation } = await standing(room, call, 'see_all');
      const rows = await listPlacedApplications(room.db, organisation.id);
      const applications = rows.map(({ application_id, name, team_id, created_at }) => ({
        ...{ id: application_id, name, owner: { type: 'team', id: team_id }, created_at },
      }));
      return ok(call, { applications });
    },
  }),
];
