import { Badge, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { del, get, type Result } from '../../api.ts';
import type { Column } from '../../components/data-rows.tsx';
import { actsColumn, DataTable } from '../../components/data-table.tsx';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { Section } from '../../components/section.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { describeUserAgent } from '../../format.ts';
import { t } from '../../language/words.ts';
import { queryClient } from '../../session.ts';
import { useAct } from '../../use-act.ts';

type LoginSession = Result<'/api/user/sessions', 'get'>[number];

const queryKey = ['login-sessions'];

const columns = (end: (id: LoginSession['id']) => void, ending: boolean): Column<LoginSession>[] => [
  {
    key: 'device',
    header: t('Device'),
    cell: ({ user_agent, current }) => (
      <Group gap="xs" wrap="nowrap">
        <Text size="sm" title={user_agent}>
          {describeUserAgent(user_agent)}
        </Text>
        {current && (
          <Badge size="sm" variant="light" color="teal" flex="none">
            {t('This device')}
          </Badge>
        )}
      </Group>
    ),
  },
  { key: 'ip', header: t('Address'), cell: ({ ip }) => ip || t('unknown') },
  { key: 'created', header: t('Logged in'), cell: ({ created_at }) => <TimeAgo at={created_at} /> },
  { key: 'seen', header: t('Last seen'), cell: ({ last_seen_at }) => <TimeAgo at={last_seen_at} /> },
  {
    ...actsColumn(),
    cell: ({ id, current, user_agent }) =>
      current ? null : (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          disabled={ending}
          aria-label={t('Log out {device}', { device: describeUserAgent(user_agent) })}
          onClick={() => end(id)}
        >
          {t('Log out')}
        </Button>
      ),
  },
];

export function LoginSessions() {
  const query = useQuery({ queryKey, queryFn: ({ signal }) => get('/api/user/sessions', { signal }) });
  const sessions = query.data;
  const end = useAct(
    {
      mutationFn: async (id: LoginSession['id'] | 'others'): Promise<number> => {
        if (id === 'others') return (await del('/api/user/sessions')).ended;
        await del('/api/user/sessions/{id}', { path: { id } });
        return 1;
      },
      onSuccess: (ended) =>
        notifySuccess(t('{count, plural, one {Device logged out} other {# devices logged out}}', { count: ended })),
      onError: notifyError,
      onSettled: () => queryClient.invalidateQueries({ queryKey }),
    },
    (id) => id,
  );
  const elsewhere = sessions?.some(({ current }) => !current);
  return (
    <Section
      title={t('Logged-in devices')}
      actions={
        elsewhere && (
          <Button variant="default" size="sm" loading={end.isPending} onClick={() => end.mutate('others')}>
            {t('Log out all other devices')}
          </Button>
        )
      }
    >
      <DataTable
        label={t('Logged-in devices')}
        columns={columns(end.mutate, end.isPending)}
        rows={sessions}
        rowKey={({ id }) => id}
        query={query}
        empty={{ title: t('No devices') }}
      />
    </Section>
  );
}
