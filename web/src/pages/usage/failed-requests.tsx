import { Badge, Stack, Switch, Text, UnstyledButton } from '@mantine/core';
import { IconMoodCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { CopyField } from '../../components/copy-field.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { DetailDrawer } from '../../components/dialog.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { formatDayTime, formatExact, formatMs } from '../../format.ts';
import { serverText } from '../../language/server-texts.ts';
import { t } from '../../language/words.ts';
import { isAdmin, useUser } from '../../session.ts';
import { saidBy } from './request-words.ts';
import type { ListProps } from './usage-logs.tsx';
import { type FailedRequest, failuresQuery, pageSize } from './usage-queries.ts';
import type { UsageFilter } from './usage-range.ts';

const columns = (show: (id: number) => void): Column<FailedRequest>[] => [
  {
    key: 'at',
    header: t('Time'),
    cell: ({ created_at }) => <span title={formatExact(created_at)}>{formatDayTime(created_at)}</span>,
  },
  {
    key: 'model',
    header: t('Model'),
    cell: ({ model, endpoint }) => (
      <Stack gap={0} maw="15rem">
        <Text size="sm" fw={500} truncate title={model}>
          {model}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          {endpoint.replace(/^\/v1\//, '')}
        </Text>
      </Stack>
    ),
  },
  { key: 'status', header: t('Status'), cell: ({ status }) => <Badge color="red">{status}</Badge> },
  {
    key: 'why',
    header: t('Why'),
    wrap: true,
    cell: ({ id, request_id, message, upstream_message }) => (
      <UnstyledButton onClick={() => show(id)}>
        <span className="svc-hidden">{t('Details of failed request {requestId}:', { requestId: request_id })} </span>
        <Text component="span" size="sm" lineClamp={2} td="underline">
          {serverText(message)}
        </Text>
        {upstream_message && (
          <Text component="span" size="xs" c="dimmed" lineClamp={2}>
            {serverText(upstream_message)}
          </Text>
        )}
      </UnstyledButton>
    ),
  },
];

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text size="sm" fw={600}>
        {label}
      </Text>
      <Text size="sm" className="svc-anywhere">
        {children}
      </Text>
    </div>
  );
}

function Detail({ failure }: { failure: FailedRequest }) {
  const { model, status, code, message, provider, upstream_status, upstream_message, request_id } = failure;
  return (
    <Stack>
      <div>
        <Text fw={500} className="svc-anywhere">
          {model}
        </Text>
        <Text size="sm" c="dimmed">
          {formatExact(failure.created_at)} · {formatMs(failure.duration_ms)}
        </Text>
      </div>
      <Fact label={t('Error message returned to the caller')}>
        {status} {code}: {serverText(message)}
      </Fact>
      {upstream_message && (
        <Fact label={saidBy(provider)}>
          {upstream_status ? `${upstream_status}: ` : ''}
          {serverText(upstream_message)}
        </Fact>
      )}
      <AnchorLink to="/requests/$id" params={{ id: request_id }} size="sm" underline="always">
        {t('View request')}
      </AnchorLink>
      <Text size="sm" c="dimmed">
        {t('Nothing was charged.')}
      </Text>
      <CopyField label={t('Request id')} value={request_id} />
    </Stack>
  );
}

interface FailedRequestsProps extends ListProps {
  filter: UsageFilter;
  everybody: boolean;
  onEverybody: (everybody: boolean) => void;
}

/** Failed requests and why they failed. Administrators also see the upstream's error message. */
export function FailedRequests(props: FailedRequestsProps) {
  const { filter, everybody, onEverybody, page, onPage, open, onOpen } = props;
  const user = useUser();
  const query = useQuery(failuresQuery(user, filter, everybody, page));
  const failure = query.data?.failures.find(({ id }) => String(id) === open);
  return (
    <Stack gap="sm">
      {isAdmin(user) && (
        <Switch
          label={t('From all users')}
          checked={everybody}
          onChange={(event) => onEverybody(event.currentTarget.checked)}
        />
      )}
      <DataTable
        label={t('Failed requests')}
        columns={columns((id) => onOpen(String(id)))}
        rows={query.data?.failures}
        rowKey={({ id }) => id}
        query={query}
        minWidth={720}
        paging={{ page, pageSize, total: query.data?.total ?? 0, onPage }}
        empty={{ icon: IconMoodCheck, title: t('No failed requests in this period') }}
      />
      <DetailDrawer opened={failure !== undefined} onClose={() => onOpen('')} size="md" title={t('Failure reason')}>
        {failure && <Detail failure={failure} />}
      </DetailDrawer>
    </Stack>
  );
}
