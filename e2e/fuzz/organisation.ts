import type { Caller } from '../service.ts';

/** An organisation with one of everything that a path can refer to, and an invitation to another one. */
export interface KnownOrganisation {
  id: number;
  /** A member beside the owner, who owns the other one. */
  somebodyId: number;
  teamId: number;
  keyId: number;
  /** The team's key for the provider `fuzz`. */
  ownKeyId: number;
  budgetId: number;
  invitationId: number;
  /** Of an invitation that the user has not accepted. */
  invitationToken: string;
  /** Of its directory, and a user in it. */
  scimToken: string;
  scimTokenId: number;
  scimUserId: string;
  scimTeamId: number;
}

/** Belongs to the owner, with `somebody` as a member, who has another one that the owner is invited to. */
export async function newOrganisation(
  { url: service }: { url: string },
  owner: Caller,
  somebody: Caller,
  name: string,
): Promise<KnownOrganisation> {
  const post = <T = { id: number }>(by: Caller, path: string, body: unknown): Promise<T> =>
    by.api<T>(`/api/organisations${path}`, { method: 'POST', body });
  const { id } = await post(owner, '', { name, time_zone: 'Europe/Vienna' });
  const team = await post(owner, `/${id}/teams`, { name });
  await owner.api(`/api/organisations/${id}/teams/${team.id}/members/${owner.id}`, { method: 'PUT', body: {} });
  const key = await post(owner, `/${id}/keys`, { name, team_id: team.id });
  const ownKey = await post(owner, `/${id}/teams/${team.id}/own-keys`, {
    ...{ name, provider: 'fuzz', credential: 'sk-of-the-team-which-nobody-reads' },
  });
  const budget = await post(owner, `/${id}/budgets`, {
    ...{ level: 'team', level_id: team.id, window: 'month', amount: 1_000_000 },
  });
  const limits = `/api/organisations/${id}/limits/organisation/${id}`;
  await owner.api(limits, { method: 'PUT', body: { requests_per_minute: 1_000 } });
  const { invitation } = await post<{ invitation: { id: number } }>(owner, `/${id}/invitations`, {});
  const directory = await post<{ id: number; token: string }>(owner, `/${id}/scim/tokens`, { name });
  const group = await post(owner, `/${id}/teams`, { name: `${name} of the directory` });
  const named = await fetch(`${service}/scim/v2/Users`, {
    method: 'POST',
    headers: { authorization: `Bearer ${directory.token}`, 'content-type': 'application/scim+json' },
    body: JSON.stringify({ userName: name }),
  });
  const { url: link } = await post<{ url: string }>(owner, `/${id}/invitations`, {});
  await somebody.api('/api/invitations/accept', { method: 'POST', body: { token: link.split('#')[1]! } });
  const other = await post(somebody, '', { name });
  const { url } = await post<{ url: string }>(somebody, `/${other.id}/invitations`, {});
  return {
    somebodyId: somebody.id,
    ...{ id, teamId: team.id, keyId: key.id, ownKeyId: ownKey.id, budgetId: budget.id, invitationId: invitation.id },
    invitationToken: url.split('#')[1]!,
    ...{ scimToken: directory.token, scimTokenId: directory.id, scimTeamId: group.id },
    scimUserId: ((await named.json()) as { id: string }).id,
  };
}
