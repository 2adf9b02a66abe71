import { t } from '../../language/words.ts';
import type { Member, Organisation, OrganisationKey, Team } from '../../organisations.ts';

export const levels = ['organisation', 'team', 'member', 'key'] as const;
export type Level = (typeof levels)[number];

/** A level and the id of one of its entries. */
export interface Place {
  level: Level;
  level_id: number;
}

/** The form used in selects and in URLs: `team:7`. */
export const placeText = ({ level, level_id }: Place): string => `${level}:${level_id}`;

/** Null if the text is not a valid place. */
export function readPlace(text: string): Place | null {
  const [name, id] = text.split(':');
  const level = levels.find((one) => one === name);
  const level_id = Number(id);
  return level && Number.isSafeInteger(level_id) && level_id > 0 ? { level, level_id } : null;
}

/** The entries of each level; empty while not loaded. */
export interface LevelNames {
  organisation: Pick<Organisation, 'id' | 'name'>;
  teams: Pick<Team, 'id' | 'name'>[];
  members: Pick<Member, 'user_id' | 'username'>[];
  keys: Pick<OrganisationKey, 'id' | 'name'>[];
}

const labels: Record<Level, (known: LevelNames) => [id: number, name: string][]> = {
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

/** Options for a select over several levels. */
export const placeChoices = (known: LevelNames, among: readonly Level[] = levels) =>
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

/** For example "Team Research". Falls back to the id if the entry was deleted or is not visible to this user. */
export function placeName(known: LevelNames, { level, level_id }: Place): string {
  if (level === 'organisation') return t('The whole organisation');
  const name = labels[level](known).find(([id]) => id === level_id)?.[1];
  return called[level](name ?? String(level_id));
}
