import { ActionIcon, Badge, Button, Group, Stack, Text, Title, Tooltip } from '@mantine/core';
import { IconChartBar, IconDownload, IconReceipt } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyButton } from '../../components/copy-button.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable, endColumn } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Money } from '../../components/money.tsx';
import { formatDateTime, formatNumber } from '../../format.ts';
import { keysQuery } from '../../session.ts';
import { UsageDetail } from './usage-detail.tsx';
import { logsQuery, pageSize, type UsageLog } from './usage-queries.ts';
import { csvAddress, type LogsFilter } from './usage-range.ts';

const shortTime = (unixSeconds: number): string =>
  new Date(unixSeconds * 1000).toLocaleString(undefined, {
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  });

const seconds = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);

function Tokens(log: UsageLog) {
  const parts = [
    `${formatNumber(log.prompt_tokens)} in, ${formatNumber(log.completion_tokens)} out`,
    log.cache_read_tokens > 0 && `${formatNumber(log.cache_read_tokens)} read from cache`,
    log.cache_write_tokens > 0 && `${formatNumber(log.cache_write_tokens)} written to cache`,
    log.reasoning_tokens > 0 && `${formatNumber(log.reasoning_tokens)} for reasoning`,
  ];
  return (
    <Tooltip label={parts.filter(Boolean).join(' · ')}>
      <span className="svc-number">
        {`${formatNumber(log.prompt_tokens)} → ${formatNumber(log.completion_tokens)}`}
      </span>
    </Tooltip>
  );
}

/** How a request ended, in words; anything but `ok` deserves a look. */
const endings: Record<string, string> = {
  ok: 'OK',
  aborted: 'Client left',
  interrupted: 'Interrupted',
  error: 'Failed',
};

/** A call of a tool stands where a model would, as `mcp/server/tool`. */
const isToolCall = ({ endpoint }: UsageLog): boolean => endpoint === '/mcp';

const nameOf = (log: UsageLog): string =>
  isToolCall(log) ? log.model.slice(`mcp/${log.provider}/`.length) : log.model;

const kindOf = (log: UsageLog): string => {
  if (isToolCall(log)) return `Tool of ${log.provider}`;
  const { endpoint, provider, stream } = log;
  const parts = [endpoint.replace(/^\/v1\//, ''), provider && `by ${provider}`, stream && '· streamed'];
  return parts.filter(Boolean).join(' ');
};

const columns = (keyNames: Map<number, string>, show: (log: UsageLog) => void): Column<UsageLog>[] => [
  {
    key: 'at',
    header: 'Time',
    cell: ({ created_at }) => <span title={formatDateTime(created_at)}>{shortTime(created_at)}</span>,
  },
  {
    key: 'model',
    header: 'Model or tool',
    cell: (log) => (
      <Stack gap={0} maw="17rem">
        <Text size="sm" fw={500} truncate title={log.model}>
          {nameOf(log)}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          {kindOf(log)}
        </Text>
      </Stack>
    ),
  },
  {
    key: 'key',
    header: 'Key',
    cell: ({ token_id, application }) =>
      application ?? (token_id ? (keyNames.get(token_id) ?? `Deleted key ${token_id}`) : 'Web app'),
  },
  { key: 'tokens', header: 'Tokens', align: 'right', cell: Tokens },
  { key: 'cost', header: 'Cost', align: 'right', cell: ({ quota }) => <Money quota={quota} /> },
  {
    key: 'time',
    header: 'Duration',
    align: 'right',
    cell: ({ duration_ms, first_token_ms }) => (
      <Tooltip label={`First token after ${seconds(first_token_ms ?? 0)}`} disabled={!first_token_ms}>
        <span className="svc-number">{seconds(duration_ms)}</span>
      </Tooltip>
    ),
  },
  {
    key: 'status',
    header: 'Status',
    cell: ({ status }) => (
      <Badge size="sm" color={status === 'ok' ? 'teal' : 'orange'}>
        {endings[status] ?? status}
      </Badge>
    ),
  },
  {
    ...endColumn('Request'),
    cell: (log) => (
      <Group gap={4} wrap="nowrap" justify="flex-end">
        <Tooltip label="What it cost">
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`What request ${log.request_id} cost`}
            onClick={() => show(log)}
          >
            <IconReceipt size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
        <CopyButton value={log.request_id} label={`Copy request id ${log.request_id}`} />
      </Group>
    ),
  },
];

interface UsageLogsProps {
  filter: LogsFilter;
  page: number;
  onPage: (page: number) => void;
}

export function UsageLogs({ filter, page, onPage }: UsageLogsProps) {
  const query = useQuery(logsQuery(filter, page));
  const keys = useQuery(keysQuery);
  const [shown, setShown] = useState<UsageLog | null>(null);
  const names = new Map(keys.data?.map(({ id, name }) => [id, name]));
  return (
    <section>
      <Group justify="space-between" mb="sm">
        <Title order={2}>Requests</Title>
        <Button
          component="a"
          href={csvAddress(filter)}
          download
          variant="default"
          size="sm"
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          Download CSV
        </Button>
      </Group>
      <DataTable
        label="Requests"
        columns={columns(names, setShown)}
        rows={query.data?.logs}
        rowKey={({ id }) => id}
        query={query}
        minWidth={920}
        paging={{ page, pageSize, total: query.data?.total ?? 0, onPage }}
        empty={
          <EmptyState
            icon={IconChartBar}
            title="No requests here"
            description="Choose other days or filters, or make a first request with one of your keys."
          />
        }
      />
      <UsageDetail log={shown} onClose={() => setShown(null)} />
    </section>
  );
}
