import { isObject } from '../../lib/is-object.ts';
import type { GroupMember } from '../store/scim-places.ts';
import type { ScimUserRow, TeamRow } from '../store/tables.ts';
import { plain } from './filter.ts';

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

/** A list of attribute paths (RFC 7644 §3.10), in lower case. */
const pathsIn = (list = ''): [name: string, part?: string][] =>
  list
    .slice(0, 2_000)
    .split(',')
    .filter((path) => path.trim() !== '')
    .map((path) => plain(path.trim()).split('.') as [string, string?]);

/** The selected parts of an attribute, or of each value of a multi-valued one. */
const narrowed = (value: unknown, stays: (part: string) => boolean): unknown => {
  if (Array.isArray(value)) return value.map((one) => narrowed(one, stays));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([part]) => stays(part.toLowerCase())));
};

/** RFC 7644 §3.9. Identifying attributes are always returned. */
export function chosen(resource: Resource, { attributes, excludedAttributes }: Chosen): Resource {
  const [asked, left] = [pathsIn(attributes), pathsIn(excludedAttributes)];
  const shown = Object.entries(resource).flatMap(([name, value]) => {
    if (name === 'schemas' || name === 'id') return [[name, value]];
    const partsOf = (paths: typeof asked) =>
      paths.filter(([one]) => one === name.toLowerCase()).map(([, part]) => part);
    const [wanted, unwanted] = [partsOf(asked), partsOf(left)];
    if (unwanted.includes(undefined) || (asked.length > 0 && wanted.length === 0)) return [];
    const whole = asked.length === 0 || wanted.includes(undefined);
    return [[name, narrowed(value, (part) => (whole || wanted.includes(part)) && !unwanted.includes(part))]];
  });
  return { ...Object.fromEntries(shown), schemas: resource.schemas };
}

/** Whether members, which may be thousands, have to be read. */
export const wantsMembers = (query: Chosen): boolean => 'members' in chosen({ schemas: [], members: true }, query);
