import { Stack, Text, TextInput } from '@mantine/core';
import { IconEdit, IconKey, IconTrash, IconUsersGroup } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { del, put } from '../../api.ts';
import { AddButton } from '../../components/add-button.tsx';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { DetailDrawer } from '../../components/dialog.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { menuColumn } from '../../components/menu-column.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { TimeAgo } from '../../components/time-ago.tsx';
import { usePost } from '../../idempotent-post.ts';
import { t } from '../../language/words.ts';
import {
  type Member,
  may,
  membersQuery,
  type Organisation,
  organisationKeysQuery,
  reloadOrganisations,
  type Team,
  teamsQuery,
} from '../../organisations.ts';
import { useAct } from '../../use-act.ts';
import { useOpened } from '../../use-url-state.ts';
import { OwnKeysSection } from '../own-keys/own-keys-section.tsx';

type Open = { act: 'make' } | { act: 'rename' | 'delete'; team: Team };

interface TeamFormProps {
  organisationId: number;
  team?: Team;
  onClose: () => void;
}

/** Mounted only while the dialog is open. */
function TeamForm({ organisationId: id, team, onClose }: TeamFormProps) {
  const post = usePost();
  const save = useAct({
    mutationFn: async (name: string) => {
      if (team)
        await put('/api/organisations/{id}/teams/{team_id}', { path: { id, team_id: team.id }, body: { name } });
      else await post('/api/organisations/{id}/teams', { path: { id }, body: { name } });
      notifySuccess(team ? t('Team renamed') : t('Team created'));
      onClose();
      await reloadOrganisations(id);
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    save.mutate(String(new FormData(event.currentTarget).get('name')).trim());
  };
  return (
    <FormDialog
      onClose={onClose}
      title={team ? t('Rename {name}', { name: team.name }) : t('New team')}
      onSubmit={submit}
      act={save}
      failure={team ? t('The team was not renamed') : t('The team was not created')}
      submitLabel={team ? t('Rename') : t('Create team')}
    >
      <TextInput name="name" label={t('Name')} maxLength={256} required data-autofocus defaultValue={team?.name} />
    </FormDialog>
  );
}

/** Counts the keys that stop working with the team, so that the effect of deleting it is clear. */
function DeleteTeam({ organisationId: id, team, onClose }: TeamFormProps & { team: Team }) {
  const keys = useQuery(organisationKeysQuery(id)).data?.filter(({ team_id }) => team_id === team.id) ?? [];
  const ofTeam = keys.filter(({ owner }) => owner.type === 'team').length;
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={t('Delete {name}?', { name: team.name })}
      confirmLabel={t('Delete team')}
      onConfirm={async () => {
        await del('/api/organisations/{id}/teams/{team_id}', { path: { id, team_id: team.id } });
        notifySuccess(t('{name} is deleted', { name: team.name }));
        await reloadOrganisations(id);
      }}
    >
      <Text size="sm" mb="xs">
        {keys.length === 0
          ? t('It has no keys.')
          : t('Its keys stop working immediately: {ofTeam} of the team and {ofMembers} of its members.', {
              ofTeam,
              ofMembers: keys.length - ofTeam,
            })}
      </Text>
      {t(
        'Its budgets and limits end. Its members stay in the organisation, recorded usage is kept, and running requests are charged as they were started.',
      )}
    </ConfirmDelete>
  );
}

/** The team's own provider keys; the URL says which team. */
function ProviderKeys({ organisationId, teams }: { organisationId: number; teams: Team[] }) {
  const [shown, show] = useOpened('provider_keys');
  const team = teams.find(({ id }) => String(id) === shown);
  return (
    <DetailDrawer
      opened={team !== undefined}
      onClose={() => show('')}
      title={t('Provider keys of {name}', { name: team?.name ?? '' })}
      size="xl"
    >
      {team && <OwnKeysSection owner={{ type: 'team', organisationId, teamId: team.id }} />}
    </DetailDrawer>
  );
}

interface TeamActs {
  open: (open: Open) => void;
  showKeys: (team: Team) => void;
}

const columns = (members: Member[] | undefined, acts: TeamActs | null): Column<Team>[] => [
  {
    key: 'name',
    header: t('Name'),
    cell: ({ name }) => (
      <Text size="sm" fw={600} title={name}>
        <bdi>{name}</bdi>
      </Text>
    ),
  },
  {
    key: 'members',
    header: t('Members'),
    wrap: true,
    cell: ({ id }) => {
      const names = members?.filter(({ teams }) => teams.includes(id)).map(({ username }) => username) ?? [];
      return names.length === 0 ? t('No members') : names.join(', ');
    },
  },
  { key: 'made', header: t('Created'), cell: ({ created_at }) => <TimeAgo at={created_at} /> },
  ...(acts
    ? [
        menuColumn(
          ({ name }: Team) => name,
          (team: Team) => [
            { label: t('Rename'), icon: IconEdit, onClick: () => acts.open({ act: 'rename', team }) },
            { label: t('Provider keys'), icon: IconKey, onClick: () => acts.showKeys(team) },
            { label: t('Delete'), icon: IconTrash, danger: true, onClick: () => acts.open({ act: 'delete', team }) },
          ],
        ),
      ]
    : []),
];

export function Teams({ organisation }: { organisation: Organisation }) {
  const { id, role } = organisation;
  const query = useQuery(teamsQuery(id));
  const members = useQuery(membersQuery(id));
  const [open, setOpen] = useState<Open | null>(null);
  const [, showKeys] = useOpened('provider_keys');
  const close = () => setOpen(null);
  const acts: TeamActs = { open: setOpen, showKeys: (team) => showKeys(String(team.id)) };
  const manages = may(role, 'manage');
  const button = manages && <AddButton onClick={() => setOpen({ act: 'make' })}>{t('New team')}</AddButton>;
  return (
    <Stack gap="md" align="stretch">
      {query.data && query.data.length > 0 && <div>{button}</div>}
      <DataTable
        label={t('Teams')}
        columns={columns(members.data, manages ? acts : null)}
        rows={query.data}
        rowKey={(team) => team.id}
        query={query}
        minWidth={520}
        empty={{
          icon: IconUsersGroup,
          title: t('No teams yet'),
          description: t('A team has its own budgets, and keys and applications that stay when their creator leaves.'),
          action: button,
        }}
      />
      {manages && <ProviderKeys organisationId={id} teams={query.data ?? []} />}
      {open?.act === 'make' && <TeamForm organisationId={id} onClose={close} />}
      {open?.act === 'rename' && <TeamForm organisationId={id} team={open.team} onClose={close} />}
      {open?.act === 'delete' && <DeleteTeam organisationId={id} team={open.team} onClose={close} />}
    </Stack>
  );
}
