import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import {
  IconCreditCard,
  IconEdit,
  IconLink,
  IconLock,
  IconLockOpen,
  IconShieldOff,
  IconTrash,
  IconUsers,
} from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { get, post, put } from '../../api.ts';
import type { Column } from '../../components/data-rows.tsx';
import { actsColumn, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Money } from '../../components/money.tsx';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { RowMenu } from '../../components/row-menu.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatNumber } from '../../format.ts';
import { queryClient, selfQuery, type User, useUser } from '../../session.ts';
import { useAct } from '../../use-act.ts';
import { usePage, useUrlState } from '../../use-url-state.ts';
import { CreditsForm } from './credits-form.tsx';
import { DeleteUser } from './delete-user.tsx';
import { InviteUser } from './invite-user.tsx';
import { RemoveFactors } from './remove-factors.tsx';
import { UserForm } from './user-form.tsx';
import { isDeleted, roleName, rootRole } from './user-state.ts';

const defaults = { page: '1', q: '' };
const pageSize = 20;
const queryKey = ['admin-users'];

interface UserActs {
  self: User;
  edit: (user: User) => void;
  credit: (user: User) => void;
  toggle: (user: User) => void;
  unlock: (user: User) => void;
  link: (user: User) => void;
  remove: (user: User) => void;
}

function actsOf({ self, edit, credit, toggle, unlock, link, remove }: UserActs, user: User) {
  const below = user.role < self.role;
  const reached = below || self.role === rootRole;
  return [
    { label: 'Edit', icon: IconEdit, disabled: !below, onClick: () => edit(user) },
    { label: 'Credits', icon: IconCreditCard, disabled: !reached, onClick: () => credit(user) },
    user.status === 1
      ? { label: 'Disable', icon: IconLock, danger: true, disabled: !below, onClick: () => toggle(user) }
      : { label: 'Enable', icon: IconLockOpen, disabled: !below, onClick: () => toggle(user) },
    { label: 'Password link', icon: IconLink, disabled: !below, onClick: () => link(user) },
    { label: 'Remove factors', icon: IconShieldOff, disabled: !below, onClick: () => unlock(user) },
    { label: 'Delete', icon: IconTrash, danger: true, disabled: !below, onClick: () => remove(user) },
  ];
}

const columns = (acts: UserActs): Column<User>[] => [
  {
    key: 'user',
    header: 'User',
    fluid: true,
    cell: ({ username, display_name, id }) => (
      <Stack gap={0}>
        <Text size="sm" fw={600} title={display_name || username}>
          {display_name || username}
        </Text>
        <Text size="xs" c="dimmed" title={username}>
          {username} · id {id}
        </Text>
      </Stack>
    ),
  },
  {
    key: 'email',
    header: 'Email',
    fluid: true,
    cell: ({ email, email_verified }) =>
      email ? (
        <Group gap={6} wrap="nowrap">
          <Text size="sm" miw={0} title={email}>
            {email}
          </Text>
          {email_verified && (
            <Badge size="sm" color="teal">
              Verified
            </Badge>
          )}
        </Group>
      ) : (
        <Text span size="sm" c="dimmed">
          none
        </Text>
      ),
  },
  {
    key: 'role',
    header: 'Role',
    cell: ({ role, group }) => (
      <Stack gap={0}>
        <Text size="sm">{roleName(role)}</Text>
        <Text size="xs" c="dimmed">
          {group}
        </Text>
      </Stack>
    ),
  },
  {
    key: 'status',
    header: 'Status',
    cell: (user) => (
      <Badge color={user.status === 1 ? 'teal' : 'gray'}>
        {user.status === 1 ? 'Enabled' : isDeleted(user) ? 'Deleted' : 'Disabled'}
      </Badge>
    ),
  },
  { key: 'quota', header: 'Balance', align: 'right', cell: ({ quota }) => <Money quota={quota} /> },
  { key: 'used', header: 'Spent', align: 'right', cell: ({ used_quota }) => <Money quota={used_quota} /> },
  {
    key: 'requests',
    header: 'Requests',
    align: 'right',
    cell: ({ request_count }) => <span className="svc-number">{formatNumber(request_count)}</span>,
  },
  { key: 'joined', header: 'Joined', cell: ({ created_at }) => <TimeAgo at={created_at} /> },
  {
    ...actsColumn(),
    // A deleted user's row stays only because the ledger refers to it, so it has no actions.
    cell: (user) => !isDeleted(user) && <RowMenu label={user.username} acts={actsOf(acts, user)} />,
  },
];

export function AdminUsersPage() {
  const self = useUser();
  const [{ q }, set] = useUrlState(defaults);
  const [page, setPage] = usePage();
  const [open, setOpen] = useState<{ act: 'edit' | 'credit' | 'unlock' | 'remove'; user: User } | null>(null);
  const query = useQuery({
    queryKey: [...queryKey, page, q],
    queryFn: ({ signal }) => get('/api/admin/users', { query: { page, page_size: pageSize, q }, signal }),
    placeholderData: keepPreviousData,
  });
  const reload = () =>
    Promise.all([queryClient.invalidateQueries({ queryKey }), queryClient.invalidateQueries(selfQuery)]);
  const toggle = useAct(
    {
      mutationFn: ({ id, status }: User) =>
        put('/api/admin/users/{id}', { path: { id }, body: { status: status === 1 ? 2 : 1 } }),
      onSuccess: ({ username, status }) => notifySuccess(`${username} is ${status === 1 ? 'enabled' : 'disabled'}`),
      onError: notifyError,
      onSettled: reload,
    },
    ({ id }) => id,
  );
  const [inviting, setInviting] = useState(false);
  const [url, setUrl] = useState<string | null>(null);
  const link = useAct(
    {
      mutationFn: ({ id }: User) =>
        post('/api/admin/users/{id}/links', { path: { id }, body: { purpose: 'reset_password' } }),
      onSuccess: (made) => setUrl(made.url),
      onError: notifyError,
    },
    ({ id }) => id,
  );
  const acts: UserActs = {
    self,
    edit: (user) => setOpen({ act: 'edit', user }),
    credit: (user) => setOpen({ act: 'credit', user }),
    toggle: (user) => toggle.mutate(user),
    link: (user) => link.mutate(user),
    unlock: (user) => setOpen({ act: 'unlock', user }),
    remove: (user) => setOpen({ act: 'remove', user }),
  };
  const close = () => setOpen(null);
  return (
    <>
      <PageHeader title="Users" description="Everybody with an account. You can change users below your own role." />
      <Group mb="md">
        <SearchInput
          label="Search users"
          placeholder="Name or email"
          value={q}
          onChange={(text) => set({ q: text, page: '1' })}
        />
        <Button variant="default" onClick={() => setInviting(true)}>
          Invite
        </Button>
      </Group>
      <DataTable
        label="Users"
        columns={columns(acts)}
        rows={query.data?.users}
        rowKey={({ id }) => id}
        query={query}
        minWidth={980}
        paging={{ page, pageSize, total: query.data?.total ?? 0, onPage: setPage }}
        empty={<EmptyState icon={IconUsers} title="Nobody found" description="No user matches this search." />}
      />
      {open?.act === 'edit' && <UserForm user={open.user} onClose={close} onDone={reload} />}
      {open?.act === 'credit' && <CreditsForm user={open.user} onClose={close} onDone={reload} />}
      {inviting && (
        <InviteUser
          onClose={() => setInviting(false)}
          onDone={(made) => {
            setInviting(false);
            setUrl(made);
            reload();
          }}
        />
      )}
      <SecretOnce secret={url} title="A link for the user" label="Link" onClose={() => setUrl(null)} />
      {open?.act === 'unlock' && <RemoveFactors user={open.user} onClose={close} />}
      {open?.act === 'remove' && <DeleteUser user={open.user} onClose={close} onDone={reload} />}
    </>
  );
}
