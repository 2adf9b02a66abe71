import type { GroupMember } from '../store/scim-places.ts';
import type { ScimUserRow, TeamRow } from '../store/tables.ts';

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

export type Resource = Record<string, unknown> & { schemas: string[] };

const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

const said = (fields: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== ''));

export function viewUser(root: string, row: ScimUserRow): Resource {
  const { given_name: givenName, family_name: familyName } = row;
  const formatted = `${givenName} ${familyName}`.trim();
  return {
    schemas: [userSchema],
    id: String(row.id),
    ...said({ externalId: row.external_id, displayName: row.display_name }),
    userName: row.user_name,
    ...(formatted !== '' && { name: said({ givenName, familyName, formatted }) }),
    ...(row.email !== '' && { emails: [{ value: row.email, type: 'work', primary: true }] }),
    active: row.active === 1,
    meta: {
      resourceType: 'User',
      created: timeOf(row.created_at),
      lastModified: timeOf(row.updated_at),
      location: `${root}/Users/${row.id}`,
    },
  };
}

export const viewGroup = (root: string, team: TeamRow, members: GroupMember[]): Resource => ({
  schemas: [groupSchema],
  id: String(team.id),
  ...said({ externalId: team.external_id }),
  displayName: team.name,
  members: members.map(({ id, user_name }) => ({
    ...{ value: String(id), display: user_name, type: 'User', $ref: `${root}/Users/${id}` },
  })),
  meta: { resourceType: 'Group', created: timeOf(team.created_at), location: `${root}/Groups/${team.id}` },
});

export const viewList = (resources: Resource[], totalResults: number, startIndex: number): Resource => ({
  ...{ schemas: [listSchema], totalResults, startIndex, itemsPerPage: resources.length, Resources: resources },
});

export interface Chosen {
  attributes?: string | undefined;
  excludedAttributes?: string | undefined;
}

/** The attributes that a list of paths is about, in small letters. */
const namesIn = (list: string): string[] =>
  list
    .slice(0, 2_000)
    .toLowerCase()
    .split(',')
    .map((path) => path.trim().split('.')[0]!);

/** RFC 7644 §3.9: whole attributes are enough for directories. What says which resource it is stays. */
export function chosen(resource: Resource, { attributes, excludedAttributes }: Chosen): Resource {
  const asked = attributes === undefined ? null : namesIn(attributes);
  const left = excludedAttributes === undefined ? [] : namesIn(excludedAttributes);
  const stays = (name: string): boolean =>
    ['schemas', 'id'].includes(name) || (!left.includes(name) && (!asked || asked.includes(name)));
  return {
    ...Object.fromEntries(Object.entries(resource).filter(([name]) => stays(name.toLowerCase()))),
    schemas: resource.schemas,
  };
}

/** Whether members, which may be thousands, are to be read at all. */
export const wantsMembers = (query: Chosen): boolean => 'members' in chosen({ schemas: [], members: true }, query);
