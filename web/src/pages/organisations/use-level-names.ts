import { useQuery } from '@tanstack/react-query';
import { membersQuery, type Organisation, organisationKeysQuery, teamsQuery } from '../../organisations.ts';
import { type Level, type LevelNames, levels } from './levels.ts';

/** Loads the names of teams, members and keys. Only the levels needed, because each is a separate request. */
export function useLevelNames(organisation: Organisation, needed: readonly Level[] = levels): LevelNames {
  const { id } = organisation;
  const teams = useQuery({ ...teamsQuery(id), enabled: needed.includes('team') });
  const members = useQuery({ ...membersQuery(id), enabled: needed.includes('member') });
  const keys = useQuery({ ...organisationKeysQuery(id), enabled: needed.includes('key') });
  return { organisation, teams: teams.data ?? [], members: members.data ?? [], keys: keys.data ?? [] };
}
