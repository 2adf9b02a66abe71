import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { idText } from '../../platform/http/paging.ts';
import { type Call, defineRoute, json, type Route } from '../../platform/http/route.ts';
import type { OrganisationsContext } from '../context.ts';
import { groupsLike, usersLike } from '../store/scim-conditions.ts';
import { groupMembers, pageGroups } from '../store/scim-places.ts';
import { groupsSorted, usersSorted } from '../store/scim-sorting.ts';
import { pageScimUsers } from '../store/scim-users.ts';
import type { TeamRow } from '../store/tables.ts';
import { requireTeam } from '../teams.ts';
import { mostListed, resourceTypes, schemas, serviceProviderConfig } from './discovery.ts';
import { parseFilter } from './filter.ts';
import { changeGroup, createGroup, noGroup, removeGroup, toldGroup } from './groups.ts';
import { changesIn, membersOf, patchBody } from './patch.ts';
import { noFields, toldOf } from './user-fields.ts';
import { changeUser, createUser, removeUser, requireUser, type ScimContext } from './users.ts';
import { type Chosen, chosen, type Resource, viewGroup, viewList, viewUser, wantsMembers } from './views.ts';

const root = '/scim/v2';
export const scimUrl = ({ baseUrl }: Pick<OrganisationsContext, 'baseUrl'>): string => baseUrl + root;

const base = {
  tag: 'SCIM',
  auth: 'scim',
  errors: 'scim',
  limit: { option: 'RateLimitScim', by: 'principal' },
  headers: { 'content-type': 'application/scim+json', 'cache-control': 'no-store' },
} as const;

const whole = (most: number) =>
  z
    .string()
    // Clients that want everything ask for the largest number of 32 or 64 bits.
    .regex(/^-?\d{1,19}$/, 'must be a whole number')
    .transform((text) => Math.min(Math.max(Number(text), 0), most))
    .meta({ type: 'integer' });
const chosenFields = { attributes: z.string().optional(), excludedAttributes: z.string().optional() };
const one = z.object(chosenFields);
const list = one.extend({
  filter: z.string().optional().meta({ example: 'userName eq "ada@example.com"' }),
  startIndex: whole(1_000_000).optional(),
  count: whole(mostListed).optional(),
  sortBy: z.string().max(200).optional().meta({ example: 'userName' }),
  sortOrder: z.string().max(20).optional().meta({ example: 'descending' }),
});
type List = z.infer<typeof list>;
const params = z.object({ id: idText });
/** For the API reference: the content is validated attribute by attribute. */
const said = (type: string, example?: unknown) => z.unknown().optional().meta({ type, example });
const userBody = z
  .looseObject({
    userName: said('string', 'ada@example.com'),
    externalId: said('string'),
    displayName: said('string', 'Ada Lovelace'),
    name: said('object', { givenName: 'Ada', familyName: 'Lovelace' }),
    emails: said('array', [{ value: 'ada@example.com', type: 'work', primary: true }]),
    active: said('boolean'),
  })
  .meta({ id: 'ScimUser' });
const groupBody = z
  .looseObject({
    displayName: said('string', 'Research'),
    externalId: said('string'),
    members: said('array', [{ value: '12' }]),
  })
  .meta({ id: 'ScimGroup' });
const patch = patchBody.meta({ id: 'ScimPatch' });
const bodyTypes = ['application/scim+json', 'application/json'];

const resource = z.looseObject({ schemas: z.array(z.string()), id: z.string() }).meta({ id: 'ScimResource' });
const resources = z
  .looseObject({
    schemas: z.array(z.string()),
    totalResults: z.number().int(),
    Resources: z.array(z.unknown()).optional(),
  })
  .meta({ id: 'ScimList' });

/** RFC 7644 §3.4.2.4: starts at 1, whatever was requested. */
const pageOf = ({ startIndex = 1, count = 100 }: List) => ({ limit: count, offset: Math.max(startIndex, 1) - 1 });
const filterIn = ({ filter }: List) => (filter === undefined || filter === '' ? null : parseFilter(filter));

const answerOne = (call: Pick<Call, 'headers'>, shown: Resource, query: Chosen, status = 200): Response => {
  if (status === 201) call.headers.location = (shown.meta as { location: string }).location;
  return json(call, chosen(shown, query), status);
};
const answerList = (call: Pick<Call, 'headers'>, shown: Resource[], total: number, query: List): Response =>
  json(
    call,
    viewList(
      shown.map((each) => chosen(each, query)),
      total,
      Math.max(query.startIndex ?? 1, 1),
    ),
  );
const nothing = ({ headers: { 'content-type': _, ...headers } }: Pick<Call, 'headers'>): Response =>
  new Response(null, { status: 204, headers });

export const scimRoutes = (room: ScimContext): Route[] => [
  ...discoveryRoutes(scimUrl(room)),
  ...userRoutes(room),
  ...groupRoutes(room),
];

function discoveryRoutes(url: string): Route[] {
  const shared = { ...base, method: 'get' } as const;
  const listed = (path: string, all: string, single: string, found: Resource[]): Route[] => [
    defineRoute({
      ...{ ...shared, path: `${root}/${path}`, summary: all, answers: { 200: resources } },
      handle: (call) => {
        // RFC 7644 §4: a filtered request must not be answered with everything.
        if (new URL(call.request.url).searchParams.has('filter'))
          throw new AppError('forbidden', 'Filtering is not supported here.');
        return json(call, viewList(found, found.length, 1));
      },
    }),
    defineRoute({
      ...{ ...shared, path: `${root}/${path}/{name}`, summary: single, answers: { 200: resource } },
      params: z.object({ name: z.string() }),
      handle: (call) => {
        const shown = found.find(({ id }) => id === call.params.name);
        if (!shown) throw new AppError('not_found', 'There is no such resource.');
        return json(call, shown);
      },
    }),
  ];
  return [
    defineRoute({
      ...{ ...shared, path: `${root}/ServiceProviderConfig`, summary: 'Get the supported SCIM features' },
      answers: { 200: z.looseObject({ schemas: z.array(z.string()) }) },
      handle: (call) => json(call, serviceProviderConfig(url)),
    }),
    ...listed('ResourceTypes', 'List the SCIM resource types', 'Get a SCIM resource type', resourceTypes(url)),
    ...listed('Schemas', 'List the SCIM schemas of users and groups', 'Get a SCIM schema', schemas(url)),
  ];
}

function userRoutes(room: ScimContext): Route[] {
  const url = scimUrl(room);
  const path = `${root}/Users`;
  const shared = { ...base, path: `${path}/{id}`, params, query: one, answers: { 200: resource } } as const;
  return [
    defineRoute({
      ...{ ...base, method: 'get', path, query: list, answers: { 200: resources } },
      summary: 'List the people in the directory',
      handle: async (call) => {
        const { id } = call.principal.organisation;
        const [matches, sorting] = [usersLike(filterIn(call.query)), usersSorted(call.query)];
        const { rows, total } = await pageScimUsers(room.db, id, matches, pageOf(call.query), sorting);
        return answerList(
          call,
          rows.map((row) => viewUser(url, row)),
          total,
          call.query,
        );
      },
    }),
    defineRoute({
      ...{ ...base, method: 'post', path, query: one, body: userBody, bodyTypes, answers: { 201: resource } },
      summary: 'Add a person to the organisation’s directory; they become a member when they join themselves',
      audit: 'recorded',
      handle: async (call) => {
        const fields = toldOf(noFields, membersOf(call.body));
        return answerOne(call, viewUser(url, await createUser(room, call.principal, fields)), call.query, 201);
      },
    }),
    defineRoute({
      ...{ ...shared, method: 'get', summary: 'Get a person in the directory' },
      handle: async (call) =>
        answerOne(call, viewUser(url, await requireUser(room, call.principal, call.params.id)), call.query),
    }),
    defineRoute({
      ...{ ...shared, method: 'put', body: userBody, bodyTypes, audit: 'recorded' },
      summary: 'Replace a person’s data; without `active`, their status stays unchanged',
      handle: async (call) => {
        const row = await changeUser(room, call.principal, call.params.id, ({ active }) =>
          toldOf({ ...noFields, active }, membersOf(call.body)),
        );
        return answerOne(call, viewUser(url, row), call.query);
      },
    }),
    defineRoute({
      ...{ ...shared, method: 'patch', body: patch, bodyTypes, audit: 'recorded' },
      summary:
        'Update a person; if `active` becomes false, they leave the organisation immediately and keep their account',
      handle: async (call) => {
        const changes = changesIn(call.body, call.params.id);
        const row = await changeUser(room, call.principal, call.params.id, (fields) => toldOf(fields, changes));
        return answerOne(call, viewUser(url, row), call.query);
      },
    }),
    defineRoute({
      ...{ ...base, method: 'delete', path: shared.path, params, audit: 'recorded' },
      summary: 'Remove a person from the organisation; they keep their account',
      answers: { 204: { description: 'No content' } },
      handle: async (call) => {
        await removeUser(room, call.principal, call.params.id);
        return nothing(call);
      },
    }),
  ];
}

function groupRoutes(room: OrganisationsContext): Route[] {
  const url = scimUrl(room);
  const path = `${root}/Groups`;
  const shared = { ...base, path: `${path}/{id}`, params, query: one, answers: { 200: resource } } as const;
  const shown = async (teams: TeamRow[], query: Chosen): Promise<Resource[]> => {
    const members = wantsMembers(query)
      ? await groupMembers(
          room.db,
          teams.map(({ id }) => id),
        )
      : [];
    const byTeam = Map.groupBy(members, ({ team_id }) => team_id);
    return teams.map((team) => viewGroup(url, team, byTeam.get(team.id) ?? []));
  };
  const answer = async (call: Call<'scim', unknown, Chosen>, team: TeamRow, status = 200): Promise<Response> =>
    answerOne(call, (await shown([team], call.query))[0]!, call.query, status);
  return [
    defineRoute({
      ...{ ...base, method: 'get', path, query: list, answers: { 200: resources } },
      summary: 'List the teams and the members that the directory assigns to them',
      handle: async (call) => {
        const { id } = call.principal.organisation;
        const [matches, sorting] = [groupsLike(filterIn(call.query)), groupsSorted(call.query)];
        const { rows, total } = await pageGroups(room.db, id, matches, pageOf(call.query), sorting);
        return answerList(call, await shown(rows, call.query), total, call.query);
      },
    }),
    defineRoute({
      ...{ ...base, method: 'post', path, query: one, body: groupBody, bodyTypes, answers: { 201: resource } },
      summary: 'Create a team',
      audit: 'recorded',
      handle: async (call) => answer(call, await createGroup(room, call.principal, membersOf(call.body)), 201),
    }),
    defineRoute({
      ...{ ...shared, method: 'get', summary: 'Get a team and the members that the directory assigns to it' },
      handle: async (call) => answer(call, await requireTeam(room, call.principal.organisation.id, call.params.id)),
    }),
    defineRoute({
      ...{ ...shared, method: 'put', body: groupBody, bodyTypes, audit: 'recorded' },
      summary: 'Replace the name and members of a team',
      handle: async (call) => {
        const changes = membersOf(call.body);
        return answer(call, await changeGroup(room, call.principal, call.params.id, () => toldGroup(noGroup, changes)));
      },
    }),
    defineRoute({
      ...{ ...shared, method: 'patch', body: patch, bodyTypes, audit: 'recorded' },
      answers: { 200: resource, 204: { description: 'No content' } },
      summary: 'Update the name or members of a team',
      handle: async (call) => {
        const changes = changesIn(call.body, call.params.id);
        const team = await changeGroup(room, call.principal, call.params.id, (group) => toldGroup(group, changes));
        // RFC 7644 §3.5.2: requested attributes are returned.
        return call.query.attributes === undefined ? nothing(call) : answer(call, team);
      },
    }),
    defineRoute({
      ...{ ...base, method: 'delete', path: shared.path, params, audit: 'recorded' },
      summary: 'Delete a team with its keys, budgets and limits; its members stay in the organisation',
      answers: { 204: { description: 'No content' } },
      handle: async (call) => {
        await removeGroup(room, call.principal, call.params.id);
        return nothing(call);
      },
    }),
  ];
}
