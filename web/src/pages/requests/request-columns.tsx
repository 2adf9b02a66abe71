import { Badge, Stack, Text, Tooltip } from '@mantine/core';
import { CallsCost } from '../../components/calls-cost.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { numberColumn } from '../../components/number-column.tsx';
import { formatDayTime, formatExact, formatMs } from '../../format.ts';
import { serverText } from '../../language/server-texts.ts';
import { t } from '../../language/words.ts';
import { callsOf, endingWords, tokensOf } from '../../requests.ts';
import { isToolCall, kindOf } from '../usage/request-words.ts';
import { type LineGroup, type RequestLine, worstOf } from './request-lines.ts';

/** The requested model, linked to the request's details. */
function Asked({ group }: { group: LineGroup }) {
  const line = group.calls[0]!;
  if (group.parent !== null) {
    const models = [...new Set(group.calls.map(({ model }) => model))].join(', ');
    return (
      <Stack gap={0}>
        <AnchorLink to="/requests/$id" params={{ id: group.parent }} size="sm" fw={500} underline="always">
          {callsOf(group)}
        </AnchorLink>
        <Text size="xs" c="dimmed" truncate title={models}>
          {models}
        </Text>
      </Stack>
    );
  }
  const name = isToolCall(line) ? line.model.slice(`mcp/${line.provider}/`.length) : line.model;
  return (
    <Stack gap={0}>
      <AnchorLink
        to="/requests/$id"
        params={{ id: line.request_id }}
        search={{ at: String(line.created_at) }}
        size="sm"
        fw={500}
        underline="always"
        truncate
        title={line.model}
      >
        {name || t('No model')}
        <span className="svc-hidden"> {t('(request {requestId})', { requestId: line.request_id })}</span>
      </AnchorLink>
      <Text size="xs" c="dimmed" truncate>
        {kindOf(line)}
      </Text>
    </Stack>
  );
}

/** The request's status; for failed requests, the status code that the caller received. */
export function Outcome({ line }: { line: Pick<RequestLine, 'status' | 'error'> }) {
  const { status, error } = line;
  if (error) return <Badge color="red">{error.status}</Badge>;
  return <Badge color={status === 'ok' ? 'teal' : 'orange'}>{endingWords(status)}</Badge>;
}

function Ending({ group }: { group: LineGroup }) {
  const line = worstOf(group);
  return (
    <Stack gap={2} maw="18rem" align="flex-start">
      <Outcome line={line} />
      {line.error && (
        <Text size="xs" c="dimmed" lineClamp={2} className="svc-anywhere">
          {serverText(line.upstream?.message || line.error.message)}
        </Text>
      )}
    </Stack>
  );
}

const keyOf = ({ application, token_id }: RequestLine, names: Map<number, string>): string =>
  application ?? (token_id ? (names.get(token_id) ?? t('Key {id}', { id: token_id })) : t('Web app'));

const userColumn: Column<LineGroup> = {
  key: 'user',
  header: t('User'),
  fluid: true,
  cell: ({ calls: [line] }) => (
    <AnchorLink
      to="/requests"
      search={{ user: String(line!.user_id) }}
      size="sm"
      truncate
      display="block"
      title={line!.account_name ?? undefined}
    >
      {line!.account_name ?? t('User {id}', { id: line!.user_id })}
    </AnchorLink>
  ),
};

interface ColumnOptions {
  keyNames: Map<number, string>;
  /** Whether the list contains requests of several users. */
  withUser: boolean;
}

export const requestColumns = ({ keyNames, withUser }: ColumnOptions): Column<LineGroup>[] => [
  {
    key: 'at',
    header: t('Time'),
    cell: ({ calls: [line] }) => <span title={formatExact(line!.created_at)}>{formatDayTime(line!.created_at)}</span>,
  },
  { key: 'model', header: t('Model or tool'), fluid: true, cell: (group) => <Asked group={group} /> },
  { key: 'status', header: t('Status'), wrap: true, cell: (group) => <Ending group={group} /> },
  ...(withUser ? [userColumn] : []),
  {
    key: 'key',
    header: t('Key'),
    fluid: true,
    cell: ({ calls: [line] }) => (
      <Text size="sm" truncate title={keyOf(line!, keyNames)}>
        {keyOf(line!, keyNames)}
      </Text>
    ),
  },
  numberColumn('tokens', t('Tokens'), tokensOf),
  {
    key: 'cost',
    header: t('Cost'),
    align: 'right',
    cell: (group) => (
      <Tooltip label={t('The answer was cached from an earlier request')} disabled={group.calls[0]!.saved_quota === 0}>
        <span>
          <CallsCost group={group} />
        </span>
      </Tooltip>
    ),
  },
  numberColumn('time', t('Duration'), ({ parent, calls: [line] }) =>
    parent === null ? formatMs(line!.duration_ms) : '–',
  ),
];
