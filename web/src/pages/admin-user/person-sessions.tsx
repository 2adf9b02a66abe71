import { Button, Stack, Text } from '@mantine/core';
import { IconDeviceLaptop } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { del, get, type Result } from '../../api.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { actsColumn, DataTable } from '../../components/data-table.tsx';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { TimeAgo } from '../../components/time-ago.tsx';
import { describeUserAgent } from '../../format.ts';
import { t } from '../../language/words.ts';
import { queryClient } from '../../session.ts';
import { useAct } from '../../use-act.ts';
import type { PartProps } from './part-props.ts';

type LoginSession = Result<'/api/admin/users/{id}/sessions', 'get'>[number];

const columns = (end: ((id: number) => void) | null): Column<LoginSession>[] => [
  {
    key: 'device',
    header: t('Device'),
    cell: ({ user_agent }) => (
      <Text size="sm" title={user_agent}>
        {describeUserAgent(user_agent)}
      </Text>
    ),
  },
  { key: 'ip', header: t('Address'), cell: ({ ip }) => ip || t('unknown') },
  { key: 'created', header: t('Logged in'), cell: ({ created_at }) => <TimeAgo at={created_at} /> },
  { key: 'seen', header: t('Last seen'), cell: ({ last_seen_at }) => <TimeAgo at={last_seen_at} /> },
  {
    key: 'factor',
    header: t('Last second factor##time'),
    cell: ({ factor_at }) => (factor_at === null ? t('Never##used') : <TimeAgo at={factor_at} />),
  },
  ...(end
    ? [
        {
          ...actsColumn(),
          cell: ({ id, user_agent }: LoginSession) => (
            <Button
              size="compact-sm"
              variant="subtle"
              color="red"
              aria-label={t('Log out {userAgent}', { userAgent: describeUserAgent(user_agent) })}
              onClick={() => end(id)}
            >
              {t('Log out')}
            </Button>
          ),
        },
      ]
    : []),
];

export function PersonSessions({ person: { user }, acts }: PartProps) {
  const queryKey = ['admin-users', 'sessions', user.id];
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => get('/api/admin/users/{id}/sessions', { path: { id: user.id }, signal }),
  });
  const [all, setAll] = useState(false);
  const reload = () => queryClient.invalidateQueries({ queryKey });
  const end = useAct(
    {
      mutationFn: (session_id: number) =>
        del('/api/admin/users/{id}/sessions/{session_id}', { path: { id: user.id, session_id } }),
      onSuccess: () => notifySuccess(t('Device logged out')),
      onError: notifyError,
      onSettled: reload,
    },
    (id) => id,
  );
  const reached = acts.reaches(user);
  return (
    <Stack gap="md" align="stretch">
      {reached && query.data !== undefined && query.data.length > 0 && (
        <Button variant="default" color="red" style={{ alignSelf: 'flex-start' }} onClick={() => setAll(true)}>
          {t('End all sessions')}
        </Button>
      )}
      <DataTable
        label={t('Logged-in devices')}
        columns={columns(reached ? end.mutate : null)}
        rows={query.data}
        rowKey={({ id }) => id}
        query={query}
        minWidth={680}
        empty={{ icon: IconDeviceLaptop, title: t('Not logged in'), description: t('There are no active sessions.') }}
      />
      <ConfirmDelete
        opened={all}
        onClose={() => setAll(false)}
        title={t('End all sessions of {username}?', { username: user.username })}
        confirmLabel={t('End all sessions')}
        onConfirm={async () => {
          const { ended } = await del('/api/admin/users/{id}/sessions', { path: { id: user.id } });
          notifySuccess(ended === 1 ? t('Device logged out') : t('{ended} devices logged out', { ended }));
          await reload();
        }}
      >
        {t(
          'All devices are logged out immediately, and the user is notified that you did this. Keys and applications keep working.',
        )}
      </ConfirmDelete>
    </Stack>
  );
}
