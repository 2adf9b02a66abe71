import { queryOptions } from '@tanstack/react-query';
import { del, get, post, put, type Result } from '../../api.ts';
import { formatPercent } from '../../format.ts';
import { locale, t } from '../../language/words.ts';

export type OwnKey = Result<'/api/routing/own-keys', 'get'>['keys'][number];

/** The owner of the keys. */
export type OwnKeysOwner = { type: 'user' } | { type: 'team'; organisationId: number; teamId: number };

export interface NewOwnKey {
  provider: string;
  name: string;
  credential: string;
  fallback: boolean;
}

const mine = '/api/routing/own-keys';
const ofTeam = '/api/organisations/{id}/teams/{team_id}/own-keys';

/** The same calls, for a user's own keys or for a team's. */
export function ownKeysOf(owner: OwnKeysOwner) {
  const team = owner.type === 'team' ? { id: owner.organisationId, team_id: owner.teamId } : null;
  return {
    query: queryOptions({
      queryKey: ['own-keys', team],
      queryFn: ({ signal }) => (team ? get(ofTeam, { path: team, signal }) : get(mine, { signal })),
    }),
    /** `send` is idempotent, so that a second click does not add a second key. */
    add: (send: typeof post, body: NewOwnKey) => (team ? send(ofTeam, { path: team, body }) : send(mine, { body })),
    change: (key_id: number, body: Partial<Omit<NewOwnKey, 'provider'>> & { status?: 1 | 2 }) =>
      team
        ? put(`${ofTeam}/{key_id}`, { path: { ...team, key_id }, body })
        : put(`${mine}/{id}`, { path: { id: key_id }, body }),
    remove: (key_id: number) =>
      team ? del(`${ofTeam}/{key_id}`, { path: { ...team, key_id } }) : del(`${mine}/{id}`, { path: { id: key_id } }),
    test: (key_id: number) =>
      team
        ? post(`${ofTeam}/{key_id}/test`, { path: { ...team, key_id } })
        : post(`${mine}/{id}/test`, { path: { id: key_id } }),
  };
}

/** The fee for requests with such keys, as text; null if own keys are not enabled. */
export function feeText(fee: number | null): string | null {
  if (fee === null) return null;
  if (fee === 0) return t('Requests with these keys are free here; the provider bills you separately.');
  const share = formatPercent((fee * 100).toLocaleString(locale, { maximumFractionDigits: 4 }));
  return t('Requests with these keys cost {share} of the model’s price here, plus what the provider bills.', { share });
}
