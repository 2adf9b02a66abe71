import { Alert, Stack, Text } from '@mantine/core';
import { IconShieldExclamation } from '@tabler/icons-react';
import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { del, get, type Result } from '../api.ts';
import { formatDateTime } from '../format.ts';
import { rich, t } from '../language/words.ts';
import { noticeWords } from '../notices.ts';
import { queryClient, selfQuery } from '../session.ts';
import { useAct } from '../use-act.ts';
import { AnchorLink } from './link.tsx';
import { notifyError } from './notify.ts';

type Notice = Result<'/api/user/notices', 'get'>['notices'][number];

const noticesQuery = queryOptions({
  queryKey: ['notices'],
  queryFn: ({ signal }) => get('/api/user/notices', { signal }),
  staleTime: 60_000,
});

/** Important notices about the user's account, on every page until dismissed. */
export function Notices() {
  // The user object includes the number of notices. It is usually 0, and then they are not requested.
  const { notices: count } = useSuspenseQuery(selfQuery).data;
  const { data } = useQuery({ ...noticesQuery, enabled: count !== 0 });
  const away = useAct(
    {
      mutationFn: ({ id }: Notice) => del('/api/user/notices/{id}', { path: { id } }),
      onError: notifyError,
      onSettled: () =>
        Promise.all([queryClient.invalidateQueries(noticesQuery), queryClient.invalidateQueries(selfQuery)]),
    },
    ({ id }) => id,
  );
  if (count === 0 || !data || data.notices.length === 0) return null;
  return (
    <Stack gap="sm" mb="lg" component="section" aria-label={t('Notices')}>
      {data.notices.map((notice) => {
        const { title, text, to, label } = noticeWords(notice);
        return (
          <Alert
            key={notice.id}
            color="orange"
            variant="light"
            title={title}
            icon={<IconShieldExclamation aria-hidden />}
            withCloseButton
            closeButtonLabel={t('Dismiss: {title}', { title })}
            onClose={() => away.mutate(notice)}
          >
            <Text size="sm" className="svc-anywhere">
              {rich('{text} {time}. <link>{label}</link>', {
                text,
                time: formatDateTime(notice.created_at),
                label,
                link: (shown) => (
                  <AnchorLink to={to} size="sm" underline="always">
                    {shown}
                  </AnchorLink>
                ),
              })}
            </Text>
          </Alert>
        );
      })}
    </Stack>
  );
}
