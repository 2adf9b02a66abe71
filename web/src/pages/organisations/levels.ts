import { t } from '../../language/words.ts';
import type { Member, Organisation, OrganisationKey, Team } from '../../organisations.ts';

export const levels = ['organisation', 'team', 'member', 'key'] as const;
export type Level = (typeof levels)[number];

/** A level and which one of it. */
export interface Place {
  level: Level;
  level_id: number;
}

/** As choices and addresses write it: `team:7`. */
export const placeText = ({ level, level_id }: Place): string => `${level}:${level_id}`;

/** Null for what is none. */
export function readPlace(text: string): Place | null {
  const [name, id] = text.split(':');
  const level = levels.find((one) => one === name);
  const level_id = Number(id);
  return level && Number.isSafeInteger(level_id) && level_id > 0 ? { level, level_id } : null;
}

/** What there is at each level; what has not been loaded is empty. */
export interface Known {
  organisation: Pick<Organisation, 'id' | 'name'>;
  teams: Pick<Team, 'id' | 'name'>[];
  members: Pick<Member, 'user_id' | 'username'>[];
  keys: Pick<OrganisationKey, 'id' | 'name'>[];
}

const labels: Record<Level, (known: Known) => [id: number, name: string][]> = {
  organisation: ({ organisation }) => [[organisation.id, t('The whole organisation')]],
  team: ({ teams }) => teams.map(({ id, name }) => [id, name]),
  member: ({ members }) => members.map(({ user_id, username }) => [user_id, username]),
  key: ({ keys }) => keys.map(({ id, name }) => [id, name]),
};
const groups: Record<Level, string> = {
  organisation: t('Organisation'),
  team: t('Teams'),
  member: t('Members'),
  key: t('Keys'),
};

/** For a choice among all levels. */
export const placeChoices = (known: Known, among: readonly Level[] = levels) =>
  among
    .map((level) => ({
      group: groups[level],
      items: labels[level](known).map(([level_id, label]) => ({ value: placeText({ level, level_id }), label })),
    }))
    .filter(({ items }) => items.length > 0);

const called: Record<Exclude<Level, 'organisation'>, (name: string) => string> = {
  team: (name) => t('Team {name}', { name }),
  member: (name) => t('Member {name}', { name }),
  key: (name) => t('Key {name}', { name }),
};

/** "Team Research"; by its number where it is gone, or was never ours to see. */
export function placeName(known: Known, { level, level_id }: Place): string {
  if (level === 'organisation') return t('The whole organisation');
  const name = labels[level](known).find(([id]) => id === level_id)?.[1];
  return called[level](name ?? String(level_id));
}
