import { Badge, Group, Stack, Table, Text } from '@mantine/core';
import { IconUserCog, IconUserMinus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { del } from '../../api.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { ListTable } from '../../components/list-table.tsx';
import { menuColumn } from '../../components/menu-column.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { Section } from '../../components/section.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { t } from '../../language/words.ts';
import {
  type Member,
  may,
  membersQuery,
  type Organisation,
  reloadOrganisations,
  roles,
  type Team,
  teamsQuery,
} from '../../organisations.ts';
import { useUser } from '../../session.ts';
import { Invitations } from './invitations.tsx';
import { MemberForm } from './member-form.tsx';
import { roleWords } from './organisation-words.ts';

interface Acts {
  /** The role of the current user; null if they may not manage members. */
  manager: Organisation['role'] | null;
  ownId: number;
  edit: (member: Member) => void;
  remove: (member: Member) => void;
}

/** The last owner cannot lose the role: an organisation needs someone with full rights. */
const isLastOwner = (member: Member, members: Member[]): boolean =>
  member.role === 'owner' && members.filter(({ role }) => role === 'owner').length === 1;

const columns = (members: Member[], teams: Team[], { manager, ownId, edit, remove }: Acts): Column<Member>[] => [
  {
    key: 'name',
    header: t('Name'),
    sort: ({ username }) => username,
    cell: ({ username, user_id, directory }) => (
      <Group gap="xs" wrap="nowrap">
        <Text size="sm" fw={600}>
          <bdi>{username}</bdi>
        </Text>
        {user_id === ownId && <Badge color="gray">{t('You')}</Badge>}
        {directory && <Badge color="cyan">{t('Directory')}</Badge>}
      </Group>
    ),
  },
  {
    key: 'role',
    header: t('Role'),
    sort: ({ role }) => roles.indexOf(role),
    cell: (member) => (
      <Group gap="xs" wrap="nowrap">
        <Badge color={roleWords[member.role].color}>{roleWords[member.role].label}</Badge>
        {isLastOwner(member, members) && (
          <Text size="xs" c="dimmed">
            {t('the last owner')}
          </Text>
        )}
      </Group>
    ),
  },
  {
    key: 'teams',
    header: t('Teams'),
    wrap: true,
    cell: (member) =>
      teams
        .filter(({ id }) => member.teams.includes(id))
        .map(({ name }) => name)
        .join(', ') || '–',
  },
  {
    key: 'joined',
    header: t('Joined'),
    sort: ({ created_at }) => created_at,
    cell: ({ created_at }) => <TimeAgo at={created_at} />,
  },
  ...(manager
    ? [
        menuColumn(
          ({ username }: Member) => username,
          (member: Member) => [
            { label: t('Role and teams'), icon: IconUserCog, onClick: () => edit(member) },
            {
              label: t('Remove'),
              icon: IconUserMinus,
              danger: true,
              // Only owners remove owners.
              disabled: (member.role === 'owner' && manager !== 'owner') || isLastOwner(member, members),
              onClick: () => remove(member),
            },
          ],
        ),
      ]
    : []),
];

function RolesTable() {
  return (
    <Section title={t('Permissions of each role')}>
      <Table.ScrollContainer minWidth={0} type="native">
        <Table verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t('Role')}</Table.Th>
              <Table.Th scope="col">{t('Permissions')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {roles.map((role) => (
              <Table.Tr key={role}>
                <Table.Td>
                  <Badge color={roleWords[role].color}>{roleWords[role].label}</Badge>
                </Table.Td>
                <Table.Td>
                  <Text size="sm">{roleWords[role].may}</Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Section>
  );
}

export function Members({ organisation }: { organisation: Organisation }) {
  const { id, role } = organisation;
  const user = useUser();
  const query = useQuery(membersQuery(id));
  const teams = useQuery(teamsQuery(id)).data ?? [];
  const [open, setOpen] = useState<{ act: 'edit' | 'remove'; member: Member } | null>(null);
  const close = () => setOpen(null);
  const manages = may(role, 'manage');
  const removed = open?.act === 'remove' ? open.member : null;
  return (
    <Stack gap="lg">
      {manages && <Invitations organisation={organisation} teams={teams} />}
      <ListTable
        label={t('Members')}
        columns={columns(query.data ?? [], teams, {
          manager: manages ? role : null,
          ownId: user.id,
          edit: (member) => setOpen({ act: 'edit', member }),
          remove: (member) => setOpen({ act: 'remove', member }),
        })}
        rows={query.data}
        rowKey={({ user_id }) => user_id}
        textOf={({ username, role }) => `${username} ${roleWords[role].label}`}
        query={query}
        minWidth={640}
        empty={null}
      />
      <RolesTable />
      {open?.act === 'edit' && (
        <MemberForm
          organisation={organisation}
          member={open.member}
          teams={teams}
          lastOwner={isLastOwner(open.member, query.data ?? [])}
          onClose={close}
        />
      )}
      <ConfirmDelete
        opened={removed !== null}
        onClose={close}
        title={removed ? t('Remove {username}?', { username: removed.username }) : t('Remove')}
        confirmLabel={t('Remove member')}
        onConfirm={async () => {
          if (removed)
            await del('/api/organisations/{id}/members/{user_id}', { path: { id, user_id: removed.user_id } });
          notifySuccess(t('The member was removed'));
          await reloadOrganisations(id);
        }}
      >
        {t('Their own keys in this organisation stop working immediately. Team keys and recorded usage are kept.')}
      </ConfirmDelete>
    </Stack>
  );
}
