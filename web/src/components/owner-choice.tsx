import { Select, SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { t } from '../language/words.ts';
import { may, membersQuery, type Organisation, organisationsQuery, teamsQuery } from '../organisations.ts';
import { keyOwnerOptions, type OwnerOption, teamOptions } from '../owner.ts';
import { queryClient, useUser } from '../session.ts';
import { QueryFault } from './query-fault.tsx';

interface OwnerChoice {
  /** Null for the user's own things, outside organisations. */
  organisationId: number | null;
  /** `me`, `me:7` or `team:7`; empty if there is nothing to choose. */
  who: string;
  /** Rejects if the choice has only just been loaded: nobody has seen yet that there is one. */
  seen: () => Promise<void>;
  /** Renders nothing for users who are in no organisation. */
  field: ReactNode;
}

interface OwnerChoiceOptions {
  /** `team` for things that only the user or a team can own. */
  among: 'key' | 'team';
  /** Set if the organisation is already decided. */
  within?: Organisation;
}

/** Belongs to no organisation. */
const own = 'own';

/** Chooses the owner of something: the user or a team. */
export function useOwnerChoice({ among, within }: OwnerChoiceOptions): OwnerChoice {
  const user = useUser();
  const [chosen, setChosen] = useState(own);
  const [who, setWho] = useState('');
  const all = useQuery({ ...organisationsQuery, enabled: within === undefined });
  const isOpen = ({ role }: Organisation) => may(role, among === 'team' ? 'manage' : 'use');
  const open = (all.data ?? []).filter(isOpen);
  const organisation = within ?? open.find(({ id }) => String(id) === chosen);
  const id = organisation?.id ?? 0;
  const teams = useQuery({ ...teamsQuery(id), enabled: id > 0 });
  const members = useQuery({ ...membersQuery(id), enabled: id > 0 && among === 'key' });
  const self = members.data?.find(({ user_id }) => user_id === user.id);
  const options: OwnerOption[] = !organisation
    ? []
    : among === 'team'
      ? teamOptions(organisation.role, teams.data ?? [])
      : keyOwnerOptions(organisation.role, teams.data ?? [], self);
  const current = options.find(({ value }) => value === who) ?? options[0];
  // Without its organisations, something would become the user's own unseen.
  const failed = [all, teams, members].find(({ error, data }) => error && data === undefined);
  const seen = async () => {
    if (organisation && failed) throw failed.error;
    if (!all.isPending || within) return;
    const loaded = await queryClient.ensureQueryData(organisationsQuery);
    if (loaded.some(isOpen)) throw new Error(t('Your organisations have only just been loaded. Choose who owns this.'));
  };
  if (failed) return { organisationId: organisation?.id ?? null, who: '', seen, field: <QueryFault query={failed} /> };
  const field = (within || open.length > 0) && (
    <SimpleGrid cols={{ base: 1, xs: organisation && !within ? 2 : 1 }}>
      {!within && (
        <Select
          label={t('Organisation')}
          data={[
            { value: own, label: t('None (personal)') },
            ...open.map((one) => ({ value: String(one.id), label: one.name })),
          ]}
          allowDeselect={false}
          value={chosen}
          onChange={(value) => setChosen(value ?? own)}
        />
      )}
      {organisation && (
        <Select
          label={t('Belongs to')}
          placeholder={options.length === 0 ? t('No teams yet') : undefined}
          description={within && among === 'key' ? t('Team keys stay when their creator leaves') : undefined}
          data={options}
          allowDeselect={false}
          disabled={options.length === 0}
          value={current?.value ?? null}
          onChange={(value) => setWho(value ?? '')}
        />
      )}
    </SimpleGrid>
  );
  return { organisationId: organisation?.id ?? null, who: current?.value ?? '', seen, field: field || null };
}
