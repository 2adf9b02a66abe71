import { ActionIcon, Badge, Group, Stack, Text, Tooltip } from '@mantine/core';
import { IconReceipt } from '@tabler/icons-react';
import { CallsCost } from '../../components/calls-cost.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { endColumn } from '../../components/data-table.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { formatDayTime, formatExact, formatMs, formatNumber } from '../../format.ts';
import { t } from '../../language/words.ts';
import { callsOf, endingOf, type Requests, tokensOf, type UsageLog } from '../../requests.ts';
import { isToolCall, kindOf } from './request-words.ts';

const detailsOf = (log: UsageLog): string =>
  [
    t('{promptTokens} in, {completionTokens} out', {
      promptTokens: formatNumber(log.prompt_tokens),
      completionTokens: formatNumber(log.completion_tokens),
    }),
    log.cache_read_tokens > 0 &&
      t('{cacheReadTokens} read from cache', { cacheReadTokens: formatNumber(log.cache_read_tokens) }),
    log.cache_write_tokens > 0 &&
      t('{cacheWriteTokens} written to cache', { cacheWriteTokens: formatNumber(log.cache_write_tokens) }),
    log.reasoning_tokens > 0 &&
      t('{reasoningTokens} for reasoning', { reasoningTokens: formatNumber(log.reasoning_tokens) }),
  ]
    .filter(Boolean)
    .join(' · ');

function Tokens({ row }: { row: Requests }) {
  return (
    <Tooltip label={detailsOf(row.calls[0]!)} disabled={row.parent !== null}>
      <span className="svc-number">{tokensOf(row)}</span>
    </Tooltip>
  );
}

const nameOf = (log: UsageLog): string =>
  isToolCall(log) ? log.model.slice(`mcp/${log.provider}/`.length) : log.model;

/** The requested model, or the number of calls with a link to them. */
function Asked({ row }: { row: Requests }) {
  const log = row.calls[0]!;
  if (row.parent !== null) {
    const models = [...new Set(row.calls.map((log) => log.model))].join(', ');
    return (
      <Stack gap={0}>
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
    <Stack gap={0}>
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
  const { duration_ms, first_token_ms } = row.calls[0]!;
  if (row.parent !== null) return '–';
  return (
    <Tooltip
      label={t('First token after {duration}', { duration: formatMs(first_token_ms ?? 0) })}
      disabled={!first_token_ms}
    >
      <span className="svc-number">{formatMs(duration_ms)}</span>
    </Tooltip>
  );
}

function Acts({ row, show }: { row: Requests; show: (log: UsageLog) => void }) {
  const log = row.calls[0]!;
  const id = row.parent ?? log.request_id;
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      {row.parent === null && (
        <Tooltip label={t('Cost breakdown')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('Cost of request {id}', { id: log.request_id })}
            onClick={() => show(log)}
          >
            <IconReceipt size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      )}
      <CopyButton value={id} label={t('Copy request id {id}', { id })} />
    </Group>
  );
}

const keyOf = ({ application, token_id }: UsageLog, names: Map<number, string>): string =>
  application ?? (token_id ? (names.get(token_id) ?? t('Deleted key {id}', { id: token_id })) : t('Web app'));

export const usageColumns = (keyNames: Map<number, string>, show: (log: UsageLog) => void): Column<Requests>[] => [
  {
    key: 'at',
    header: t('Time'),
    cell: ({ calls: [log] }) => <span title={formatExact(log!.created_at)}>{formatDayTime(log!.created_at)}</span>,
  },
  { key: 'model', header: t('Model or tool'), fluid: true, cell: (row) => <Asked row={row} /> },
  {
    key: 'key',
    header: t('Key'),
    fluid: true,
    cell: ({ calls: [log] }) => (
      <Text size="sm" truncate title={keyOf(log!, keyNames)}>
        {keyOf(log!, keyNames)}
      </Text>
    ),
  },
  { key: 'tokens', header: t('Tokens'), align: 'right', cell: (row) => <Tokens row={row} /> },
  { key: 'cost', header: t('Cost'), align: 'right', cell: (row) => <CallsCost group={row} /> },
  { key: 'time', header: t('Duration'), align: 'right', cell: (row) => <Duration row={row} /> },
  { key: 'status', header: t('Status'), cell: (row) => <Ending row={row} /> },
  { ...endColumn(t('Request')), cell: (row) => <Acts row={row} show={show} /> },
];
