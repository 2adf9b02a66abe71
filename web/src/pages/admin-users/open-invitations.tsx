import { Stack, Text } from '@mantine/core';
import { IconLink, IconMail, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { del, type Result } from '../../api.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { actsColumn, DataTable } from '../../components/data-table.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { Money } from '../../components/money.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { RowMenu } from '../../components/row-menu.tsx';
import { Section } from '../../components/section.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import type { User } from '../../session.ts';
import { roleName } from './user-state.ts';
import { invitationsQuery, reloadUsers } from './users-queries.ts';

type Invitation = Result<'/api/admin/invitations', 'get'>['invitations'][number];

interface Acts {
  again: (user: User, mail: boolean) => void;
  takeBack: (user: User) => void;
}

const columns = ({ again, takeBack }: Acts): Column<Invitation>[] => [
  {
    key: 'user',
    header: 'For',
    cell: ({ user }) => (
      <Stack gap={0}>
        <AnchorLink to={`/admin/users/${user.id}`} size="sm" fw={600}>
          {user.username}
        </AnchorLink>
        {user.email && (
          <Text size="xs" c="dimmed" title={user.email}>
            {user.email}
          </Text>
        )}
      </Stack>
    ),
  },
  { key: 'role', header: 'Role', cell: ({ user }) => roleName(user.role) },
  { key: 'quota', header: 'Begins with', align: 'right', cell: ({ user }) => <Money quota={user.quota} /> },
  { key: 'how', header: 'Link', cell: ({ mailed }) => (mailed ? 'Mailed' : 'Handed over') },
  { key: 'made', header: 'Made', cell: ({ created_at }) => <TimeAgo at={created_at} /> },
  { key: 'ends', header: 'Runs out', cell: ({ expires_at }) => <TimeAgo at={expires_at} /> },
  {
    ...actsColumn(),
    cell: ({ user }) => (
      <RowMenu
        label={`the invitation of ${user.username}`}
        acts={[
          { label: 'New link', icon: IconLink, onClick: () => again(user, false) },
          { label: 'Mail again', icon: IconMail, disabled: user.email === '', onClick: () => again(user, true) },
          { label: 'Take back', icon: IconTrash, danger: true, onClick: () => takeBack(user) },
        ]}
      />
    ),
  },
];

/** Nothing where none is open. */
export function OpenInvitations({ onAgain }: { onAgain: Acts['again'] }) {
  const query = useQuery(invitationsQuery);
  const [going, setGoing] = useState<User | null>(null);
  const invitations = query.data?.invitations;
  return (
    <>
      {query.error && (
        <ErrorState error={query.error} title="Invitations could not be loaded" onRetry={() => query.refetch()} />
      )}
      {invitations !== undefined && invitations.length > 0 && (
        <Section title="Open invitations" description="Each link works once. A new one ends the one before.">
          <DataTable
            label="Open invitations"
            columns={columns({ again: onAgain, takeBack: setGoing })}
            rows={invitations}
            rowKey={({ user }) => user.id}
            query={query}
            empty={null}
          />
        </Section>
      )}
      {going && <TakeBack user={going} onClose={() => setGoing(null)} />}
    </>
  );
}

/** Mounted while it is open. */
export function TakeBack({ user, onClose }: { user: User; onClose: () => void }) {
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Take back the invitation of ${user.username}?`}
      confirmLabel="Take back"
      onConfirm={async () => {
        await del('/api/admin/invitations/{id}', { path: { id: user.id } });
        notifySuccess(`The invitation of ${user.username} is taken back`);
        await reloadUsers();
      }}
    >
      The link ends, and the account, which nobody has used, is closed with what it was given. The name is free again.
    </ConfirmDelete>
  );
}
