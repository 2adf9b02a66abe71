import { Stack, Text } from '@mantine/core';
import { IconLink, IconMail, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { del, type Result } from '../../api.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { LongName } from '../../components/long-name.tsx';
import { menuColumn } from '../../components/menu-column.tsx';
import { Money } from '../../components/money.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { Section } from '../../components/section.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { t } from '../../language/words.ts';
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
    header: t('Recipient'),
    fluid: true,
    cell: ({ user }) => (
      <Stack gap={0}>
        <AnchorLink to={`/admin/users/${user.id}`} size="sm" fw={600} title={user.username}>
          <LongName text={user.username} />
        </AnchorLink>
        {user.email && (
          <Text size="xs" c="dimmed" title={user.email}>
            <LongName text={user.email} />
          </Text>
        )}
      </Stack>
    ),
  },
  { key: 'role', header: t('Role'), cell: ({ user }) => roleName(user.role) },
  { key: 'quota', header: t('Initial credits'), align: 'right', cell: ({ user }) => <Money quota={user.quota} /> },
  { key: 'how', header: t('Link'), cell: ({ mailed }) => (mailed ? t('Emailed') : t('Shared manually')) },
  { key: 'made', header: t('Created'), cell: ({ created_at }) => <TimeAgo at={created_at} /> },
  { key: 'ends', header: t('Expires'), cell: ({ expires_at }) => <TimeAgo at={expires_at} /> },
  menuColumn(
    ({ user }) => t('the invitation of {username}', { username: user.username }),
    ({ user }) => [
      { label: t('Create new link'), icon: IconLink, onClick: () => again(user, false) },
      { label: t('Email new link'), icon: IconMail, disabled: user.email === '', onClick: () => again(user, true) },
      { label: t('Revoke invitation'), icon: IconTrash, danger: true, onClick: () => takeBack(user) },
    ],
  ),
];

/** Renders nothing if there are no open invitations. */
export function OpenInvitations({ onAgain }: { onAgain: Acts['again'] }) {
  const query = useQuery(invitationsQuery);
  const [going, setGoing] = useState<User | null>(null);
  const invitations = query.data?.invitations;
  return (
    <>
      {query.error && (
        <ErrorState error={query.error} title={t('Invitations could not be loaded')} onRetry={() => query.refetch()} />
      )}
      {invitations !== undefined && invitations.length > 0 && (
        <Section
          title={t('Pending invitations')}
          description={t('Each link works once. A new link replaces the previous one.')}
        >
          <DataTable
            label={t('Pending invitations')}
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

/** Mounted only while open. */
export function TakeBack({ user, onClose }: { user: User; onClose: () => void }) {
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={t('Revoke the invitation of {username}?', { username: user.username })}
      confirmLabel={t('Revoke invitation')}
      onConfirm={async () => {
        await del('/api/admin/invitations/{id}', { path: { id: user.id } });
        notifySuccess(t('Invitation of {username} revoked', { username: user.username }));
        await reloadUsers();
      }}
    >
      {t(
        'The link stops working. The unused account is closed along with its credits, and its username becomes available again.',
      )}
    </ConfirmDelete>
  );
}
