import { Badge, Stack, Text } from '@mantine/core';
import { IconArrowsExchange, IconEdit, IconKey, IconKeyOff, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { del, put } from '../../api.ts';
import { AddButton } from '../../components/add-button.tsx';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { toggleAct } from '../../components/enabled-state.tsx';
import { ListTable } from '../../components/list-table.tsx';
import { menuColumn } from '../../components/menu-column.tsx';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { SecretOnce } from '../../components/secret-once.tsx';
import { Section } from '../../components/section.tsx';
import { t } from '../../language/words.ts';
import {
  may,
  type Organisation,
  type OrganisationKey,
  organisationKeysQuery,
  reloadOrganisations,
} from '../../organisations.ts';
import { useUser } from '../../session.ts';
import { useAct } from '../../use-act.ts';
import { factColumns } from '../keys/key-columns.tsx';
import { EditOrganisationKey, MoveKey, NewOrganisationKey, RotateOrganisationKey } from './key-dialogs.tsx';
import type { LevelNames } from './levels.ts';
import { TeamApplications } from './team-applications.tsx';
import { useLevelNames } from './use-level-names.ts';

interface Acts {
  edit: (key: OrganisationKey) => void;
  toggle: (key: OrganisationKey) => void;
  move: (key: OrganisationKey) => void;
  rotate: (key: OrganisationKey) => void;
  endOld: (key: OrganisationKey) => void;
  revoke: (key: OrganisationKey) => void;
}

/** Budgets of keys are listed on the budgets tab, so the limit is not shown here. */
const noLimit = () => undefined;

const ownerColumn = ({ teams, members }: LevelNames): Column<OrganisationKey> => ({
  key: 'owner',
  header: t('Belongs to'),
  fluid: true,
  cell: ({ owner, team_id, outside_teams }) => {
    const team = teams.find(({ id }) => id === team_id)?.name;
    if (owner.type === 'team')
      return team === undefined ? (
        <Badge color="red">{t('Deleted team')}</Badge>
      ) : (
        <bdi title={team}>{t('Team {name}', { name: team })}</bdi>
      );
    const name = members.find(({ user_id }) => user_id === owner.id)?.username ?? t('Former member');
    return (
      <Stack gap={0}>
        <Text size="sm">
          <bdi>{name}</bdi>
        </Text>
        {team_id !== null && (
          <Text size="xs" c="dimmed">
            {team === undefined ? t('in a deleted team') : t('in {team}', { team })}
          </Text>
        )}
        {outside_teams && (
          <Text size="xs" c="orange">
            {t('in no team: outside the budgets of teams')}
          </Text>
        )}
      </Stack>
    );
  },
});

/** The columns of the user's own key list, plus the owner and the actions available here. */
function columns(known: LevelNames, manages: boolean, ownId: number, acts: Acts): Column<OrganisationKey>[] {
  const [name, ...rest] = factColumns(noLimit);
  return [
    name!,
    ownerColumn(known),
    ...rest,
    menuColumn(
      (key) => key.name,
      (key) => {
        const mine = key.owner.type === 'user' && key.owner.id === ownId;
        if (!manages && !mine) return [];
        return [
          { label: t('Edit'), icon: IconEdit, onClick: () => acts.edit(key) },
          toggleAct(key.status === 1, () => acts.toggle(key)),
          ...(manages ? [{ label: t('Move'), icon: IconArrowsExchange, onClick: () => acts.move(key) }] : []),
          // Only the owner of a member's key may know its secret, so other members cannot rotate it.
          ...(mine || key.owner.type === 'team'
            ? [{ label: t('Rotate secret'), icon: IconRefresh, onClick: () => acts.rotate(key) }]
            : []),
          ...(key.previous
            ? [{ label: t('Revoke old secret'), icon: IconKeyOff, onClick: () => acts.endOld(key) }]
            : []),
          { label: t('Revoke'), icon: IconTrash, danger: true, onClick: () => acts.revoke(key) },
        ];
      },
    ),
  ];
}

type Open = { act: 'make' } | { act: 'edit' | 'move' | 'rotate' | 'end old' | 'revoke'; key: OrganisationKey };

export function Keys({ organisation }: { organisation: Organisation }) {
  const { id, role } = organisation;
  const user = useUser();
  const query = useQuery(organisationKeysQuery(id));
  const known = useLevelNames(organisation, ['team', 'member']);
  const [open, setOpen] = useState<Open | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => setOpen(null);
  const manages = may(role, 'manage');
  const toggle = useAct(
    {
      mutationFn: ({ id: key_id, status }: OrganisationKey) =>
        put('/api/organisations/{id}/keys/{key_id}', {
          path: { id, key_id },
          body: { status: status === 1 ? 2 : 1 },
        }),
      onSuccess: async (key) => {
        notifySuccess(
          key.status === 1 ? t('{name} works again', { name: key.name }) : t('{name} is disabled', { name: key.name }),
        );
        await reloadOrganisations(id);
      },
      onError: notifyError,
    },
    (key) => key.id,
  );
  const revoked = open?.act === 'revoke' ? open.key : null;
  const ended = open?.act === 'end old' ? open.key : null;
  return (
    <Stack gap="lg">
      <Section
        title={t('API keys')}
        description={may(role, 'see_all') ? t('Keys of members and teams.') : t('Your keys in this organisation.')}
        actions={may(role, 'use') && <AddButton onClick={() => setOpen({ act: 'make' })}>{t('Create key')}</AddButton>}
      >
        <ListTable
          label={t('Organisation keys')}
          columns={columns(known, manages, user.id, {
            edit: (key) => setOpen({ act: 'edit', key }),
            toggle: (key) => toggle.mutate(key),
            move: (key) => setOpen({ act: 'move', key }),
            rotate: (key) => setOpen({ act: 'rotate', key }),
            endOld: (key) => setOpen({ act: 'end old', key }),
            revoke: (key) => setOpen({ act: 'revoke', key }),
          })}
          rows={query.data}
          rowKey={(key) => key.id}
          textOf={({ name, key }) => `${name} ${key}`}
          query={query}
          minWidth={900}
          empty={{
            icon: IconKey,
            title: t('No keys yet'),
            description: t('Team keys stay when their creator leaves; members’ keys end with their membership.'),
          }}
        />
      </Section>
      {may(role, 'see_all') && <TeamApplications organisation={organisation} known={known} />}
      {open?.act === 'make' && <NewOrganisationKey organisation={organisation} onClose={close} onDone={setSecret} />}
      {open?.act === 'edit' && <EditOrganisationKey organisation={organisation} apiKey={open.key} onClose={close} />}
      {open?.act === 'move' && <MoveKey organisation={organisation} apiKey={open.key} known={known} onClose={close} />}
      {open?.act === 'rotate' && (
        <RotateOrganisationKey organisation={organisation} apiKey={open.key} onClose={close} onDone={setSecret} />
      )}
      <ConfirmDelete
        opened={ended !== null}
        onClose={close}
        title={ended ? t('Revoke the old secret of {name}?', { name: ended.name }) : t('Revoke')}
        confirmLabel={t('Revoke old secret')}
        onConfirm={async () => {
          if (ended) await del('/api/organisations/{id}/keys/{key_id}/previous', { path: { id, key_id: ended.id } });
          notifySuccess(t('Old secret revoked'));
          await reloadOrganisations(id);
        }}
      >
        {t('Programs that still use it stop working immediately. The new secret stays valid.')}
      </ConfirmDelete>
      <ConfirmDelete
        opened={revoked !== null}
        onClose={close}
        title={revoked ? t('Revoke {name}?', { name: revoked.name }) : t('Revoke')}
        confirmLabel={t('Revoke key')}
        onConfirm={async () => {
          if (revoked) await del('/api/organisations/{id}/keys/{key_id}', { path: { id, key_id: revoked.id } });
          notifySuccess(t('Key revoked'));
          await reloadOrganisations(id);
        }}
      >
        {t('Programs that use it stop working immediately. Its recorded usage is kept.')}
      </ConfirmDelete>
      <SecretOnce secret={secret} title={t('Your new key')} label={t('API key')} onClose={() => setSecret(null)} />
    </Stack>
  );
}
