import { t } from './language/words.ts';
import type { Member, Role, Team } from './organisations.ts';
import { may } from './organisations.ts';

/** Owner of something in an organisation: `me`, `me:7` (within team 7), or `team:7`. */
export interface OwnerOption {
  value: string;
  label: string;
}

/** Teams that can own something; available to roles that manage the organisation. */
export const teamOptions = (role: Role, teams: Team[]): OwnerOption[] =>
  may(role, 'manage') ? teams.map(({ id, name }) => ({ value: `team:${id}`, label: t('Team {name}', { name }) })) : [];

/** Possible owners of a key. Team members spend under their team's budgets, unless they manage the organisation. */
export function keyOwnerOptions(role: Role, teams: Team[], self: Pick<Member, 'teams'> | undefined): OwnerOption[] {
  if (!may(role, 'use')) return [];
  const mine = teams.filter(({ id }) => self?.teams.includes(id));
  const free = may(role, 'manage') || mine.length === 0;
  return [
    ...(free ? [{ value: 'me', label: t('Me') }] : []),
    ...mine.map(({ id, name }) => ({ value: `me:${id}`, label: t('Me, in team {name}', { name }) })),
    ...teamOptions(role, teams),
  ];
}

/** As the request body expects it. */
export function ownerBody(value: string): { owner: 'user' | 'team'; team_id?: number } {
  const [who, team] = value.split(':');
  return { owner: who === 'team' ? 'team' : 'user', ...(team && { team_id: Number(team) }) };
}
