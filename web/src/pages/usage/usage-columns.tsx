import { ActionIcon, Badge, Group, Stack, Text, Tooltip } from '@mantine/core';
import { IconReceipt } from '@tabler/icons-react';
import { CopyButton } from '../../components/copy-button.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { endColumn } from '../../components/data-table.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { Money } from '../../components/money.tsx';
import { formatDateTime, formatNumber } from '../../format.ts';
import { callsOf, endingOf, type Requests, sumOf, type UsageLog } from '../../requests.ts';

export const shortTime = (unixSeconds: number): string =>
  new Date(unixSeconds * 1000).toLocaleString(undefined, {
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  });

export const seconds = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);

const detailsOf = (log: UsageLog): string =>
  [
    `${formatNumber(log.prompt_tokens)} in, ${formatNumber(log.completion_tokens)} out`,
    log.cache_read_tokens > 0 && `${formatNumber(log.cache_read_tokens)} read from cache`,
    log.cache_write_tokens > 0 && `${formatNumber(log.cache_write_tokens)} written to cache`,
    log.reasoning_tokens > 0 && `${formatNumber(log.reasoning_tokens)} for reasoning`,
  ]
    .filter(Boolean)
    .join(' · ');

function Tokens({ row }: { row: Requests }) {
  const [prompt, completion] = [sumOf(row, 'prompt_tokens'), sumOf(row, 'completion_tokens')];
  return (
    <Tooltip label={detailsOf(row.logs[0]!)} disabled={row.parent !== null}>
      <span className="svc-number">{`${formatNumber(prompt)} → ${formatNumber(completion)}`}</span>
    </Tooltip>
  );
}

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

/** What was asked for, or how many calls it took, with the way to each of them. */
function Asked({ row }: { row: Requests }) {
  const log = row.logs[0]!;
  if (row.parent !== null) {
    const models = [...new Set(row.logs.map((log) => log.model))].join(', ');
    return (
      <Stack gap={0} maw="17rem">
        <AnchorLink to="/usage" search={{ parent: row.parent }} size="sm" fw={500}>
          {callsOf(row)}
        </AnchorLink>
        <Text size="xs" c="dimmed" truncate title={models}>
          {models}
        </Text>
      </Stack>
    );
  }
  return (
    <Stack gap={0} maw="17rem">
      <Text size="sm" fw={500} truncate title={log.model}>
        {nameOf(log)}
      </Text>
      <Text size="xs" c="dimmed" truncate>
        {kindOf(log)}
      </Text>
    </Stack>
  );
}

function Ending({ row }: { row: Requests }) {
  const { label, ok } = endingOf(row);
  return (
    <Badge size="sm" color={ok ? 'teal' : 'orange'}>
      {label}
    </Badge>
  );
}

function Duration({ row }: { row: Requests }) {
  const { duration_ms, first_token_ms } = row.logs[0]!;
  if (row.parent !== null) return '–';
  return (
    <Tooltip label={`First token after ${seconds(first_token_ms ?? 0)}`} disabled={!first_token_ms}>
      <span className="svc-number">{seconds(duration_ms)}</span>
    </Tooltip>
  );
}

function Acts({ row, show }: { row: Requests; show: (log: UsageLog) => void }) {
  const log = row.logs[0]!;
  const id = row.parent ?? log.request_id;
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      {row.parent === null && (
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
      )}
      <CopyButton value={id} label={`Copy request id ${id}`} />
    </Group>
  );
}

export const usageColumns = (keyNames: Map<number, string>, show: (log: UsageLog) => void): Column<Requests>[] => [
  {
    key: 'at',
    header: 'Time',
    cell: ({ logs: [log] }) => <span title={formatDateTime(log!.created_at)}>{shortTime(log!.created_at)}</span>,
  },
  { key: 'model', header: 'Model or tool', cell: (row) => <Asked row={row} /> },
  {
    key: 'key',
    header: 'Key',
    cell: ({ logs: [log] }) =>
      log!.application ?? (log!.token_id ? (keyNames.get(log!.token_id) ?? `Deleted key ${log!.token_id}`) : 'Web app'),
  },
  { key: 'tokens', header: 'Tokens', align: 'right', cell: (row) => <Tokens row={row} /> },
  { key: 'cost', header: 'Cost', align: 'right', cell: (row) => <Money quota={sumOf(row, 'quota')} /> },
  { key: 'time', header: 'Duration', align: 'right', cell: (row) => <Duration row={row} /> },
  { key: 'status', header: 'Status', cell: (row) => <Ending row={row} /> },
  { ...endColumn('Request'), cell: (row) => <Acts row={row} show={show} /> },
];
