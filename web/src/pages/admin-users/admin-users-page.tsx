import { Badge, Button, Stack, Text } from '@mantine/core';
import { IconUserPlus, IconUsers } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { calledOf, isOrganisation, kindOf } from '../../account-name.ts';
import { get } from '../../api.ts';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { LongName } from '../../components/long-name.tsx';
import { menuColumn } from '../../components/menu-column.tsx';
import { Money } from '../../components/money.tsx';
import { numberColumn } from '../../components/number-column.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import type { RowAct } from '../../components/row-menu.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { upTo } from '../../filter-values.ts';
import { formatNumber } from '../../format.ts';
import { t } from '../../language/words.ts';
import type { User } from '../../session.ts';
import { usePage, useUrlState } from '../../use-url-state.ts';
import { InviteUser } from './invite-user.tsx';
import { OpenInvitations } from './open-invitations.tsx';
import { useUserActs } from './user-acts.tsx';
import { isDeleted, roleName } from './user-state.ts';
import { reloadUsers, usersKey } from './users-queries.ts';

const defaults = { page: '1', q: '' };
const fits = { q: upTo(200) };
const pageSize = 20;

const columns = (actsOf: (user: User) => RowAct[]): Column<User>[] => [
  {
    key: 'user',
    header: t('User'),
    fluid: true,
    cell: (user) => (
      <Stack gap={0}>
        <AnchorLink to={`/admin/users/${user.id}`} size="sm" fw={600} title={user.display_name || user.username}>
          <LongName text={user.display_name || user.username} />
        </AnchorLink>
        <Text size="xs" c="dimmed" title={kindOf(user)}>
          <LongName
            text={
              isOrganisation(user)
                ? t('id {id}', { id: user.id })
                : t('{username} · id {id}', { username: user.username, id: user.id })
            }
          />
        </Text>
      </Stack>
    ),
  },
  {
    key: 'email',
    header: t('Email'),
    fluid: true,
    cell: ({ email, email_verified }) =>
      email ? (
        <Stack gap={2} align="flex-start">
          <Text size="sm" maw="100%" title={email} className="svc-parts">
            <LongName text={email} />
          </Text>
          {email_verified && (
            <Badge size="sm" color="teal">
              {t('Verified')}
            </Badge>
          )}
        </Stack>
      ) : (
        <Text span size="sm" c="dimmed">
          {t('none')}
        </Text>
      ),
  },
  {
    key: 'role',
    header: t('Role'),
    cell: ({ username, role, group }) => (
      <Stack gap={0}>
        <Text size="sm">{isOrganisation({ username }) ? t('Organisation') : roleName(role)}</Text>
        <Text size="xs" c="dimmed" maw="8rem" title={group}>
          {group}
        </Text>
      </Stack>
    ),
  },
  {
    key: 'status',
    header: t('Status'),
    cell: (user) => (
      <Badge color={user.status === 1 ? 'teal' : 'gray'}>
        {user.status === 1 ? t('Enabled') : isDeleted(user) ? t('Deleted') : t('Disabled')}
      </Badge>
    ),
  },
  { key: 'quota', header: t('Balance'), align: 'right', cell: ({ quota }) => <Money quota={quota} /> },
  { key: 'used', header: t('Spent'), align: 'right', cell: ({ used_quota }) => <Money quota={used_quota} /> },
  numberColumn('requests', t('Requests'), ({ request_count }) => formatNumber(request_count)),
  { key: 'joined', header: t('Joined'), cell: ({ created_at }) => <TimeAgo at={created_at} /> },
  // A deleted user's row is kept only because the ledger references it, so it has no actions.
  menuColumn(
    (user) => calledOf(user),
    (user) => (isDeleted(user) ? [] : actsOf(user)),
  ),
];

export function AdminUsersPage() {
  const [{ q }, set] = useUrlState(defaults, fits);
  const [page, setPage] = usePage();
  const query = useQuery({
    queryKey: [...usersKey, page, q],
    queryFn: ({ signal }) => get('/api/admin/users', { query: { page, page_size: pageSize, q }, signal }),
    placeholderData: keepPreviousData,
  });
  const [inviting, setInviting] = useState(false);
  const { actsOf, link, showLink, dialogs } = useUserActs();
  return (
    <>
      <PageHeader
        title={t('Users')}
        description={t('All user accounts. You can change users whose role is below yours.')}
        actions={
          <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setInviting(true)}>
            {t('Invite')}
          </Button>
        }
      />
      <Stack gap="md">
        {/* If the user list fails to load, one error message is enough. */}
        {!query.error && (
          <OpenInvitations onAgain={(user, mail) => link.mutate({ user, purpose: 'invitation', mail })} />
        )}
        <SearchInput
          label={t('Search users')}
          placeholder={t('Name or email')}
          value={q}
          onChange={(text) => set({ q: text, page: '1' })}
        />
        <DataTable
          label={t('Users')}
          columns={columns(actsOf)}
          rows={query.data?.users}
          rowKey={({ id }) => id}
          query={query}
          minWidth={980}
          paging={{ page, pageSize, total: query.data?.total ?? 0, onPage: setPage }}
          empty={{ icon: IconUsers, title: t('No users found'), description: t('No user matches this search.') }}
        />
      </Stack>
      {inviting && (
        <InviteUser
          onClose={() => setInviting(false)}
          onDone={(made) => {
            setInviting(false);
            showLink(made);
            reloadUsers();
          }}
        />
      )}
      {dialogs}
    </>
  );
}
