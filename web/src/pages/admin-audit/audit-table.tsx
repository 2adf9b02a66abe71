import { Anchor, Badge, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { get } from '../../api.ts';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { LongName } from '../../components/long-name.tsx';
import { formatDateTime, formatExact } from '../../format.ts';
import { t } from '../../language/words.ts';
import { kindOf, wordsOf } from './audit-events.ts';
import type { AuditState } from './audit-state.ts';
import type { Entry } from './entry.ts';
import { EntryDetail } from './entry-detail.tsx';

const pageSize = 25;

function EventBadge({ action }: { action: string }) {
  const { label, color } = wordsOf(action);
  return (
    <Badge color={color} title={label}>
      {label}
    </Badge>
  );
}

interface NameFilterProps {
  id: number | string | null;
  name: string;
  what: string;
  /** Truncate to one line. */
  truncate?: boolean;
  /** Absent if the log is filtered already. */
  onClick: ((text: string) => void) | undefined;
}

/** A name, or the id if there is no name; clicking it filters the log. */
function NameFilter({ id, name, what, truncate, onClick }: NameFilterProps) {
  const text = name || String(id ?? '');
  if (text === '') return '–';
  if (!onClick)
    return (
      <Text span size="sm" title={text}>
        <LongName text={text} />
      </Text>
    );
  return (
    <Anchor
      component="button"
      type="button"
      size="sm"
      ta="start"
      maw={truncate ? 140 : '100%'}
      truncate={truncate}
      title={text}
      onClick={() => onClick(text)}
    >
      <span className="svc-hidden">{`${t('Only entries for {what}', { what })} `}</span>
      <LongName text={text} />
      {name !== '' && id !== null && id !== name && <Text span inherit size="xs" c="dimmed">{` ${id}`}</Text>}
    </Anchor>
  );
}

type Only = (filter: Partial<AuditState>) => void;

const columns = (only: Only | undefined): Column<Entry>[] => [
  { key: 'at', header: t('Time'), cell: ({ at }) => <span title={formatExact(at)}>{formatDateTime(at)}</span> },
  { key: 'event', header: t('Event'), cell: ({ action }) => <EventBadge action={action} /> },
  {
    key: 'actor',
    header: t('Who'),
    cell: ({ actor }) => (
      <NameFilter {...actor} what={kindOf('user')} truncate onClick={only && ((text) => only({ actor: text }))} />
    ),
  },
  {
    key: 'target',
    header: t('Target##audit'),
    wrap: true,
    cell: ({ target }) => (
      <>
        {target.type && target.id !== null && <Text span size="sm" c="dimmed">{`${kindOf(target.type)} `}</Text>}
        <NameFilter {...target} what={kindOf(target.type)} onClick={only && ((text) => only({ target: text }))} />
      </>
    ),
  },
  { key: 'ip', header: t('Address'), cell: ({ ip }) => ip || '–' },
];

interface AuditTableProps {
  /** As query parameters of the API. */
  filter: Record<string, string | number>;
  page: number;
  onPage: (page: number) => void;
  /** Filters the log by the clicked name. */
  only?: Only;
}

export function AuditTable({ filter, page, onPage, only }: AuditTableProps) {
  const query = useQuery({
    queryKey: ['audit', filter, page],
    queryFn: ({ signal }) => get('/api/admin/audit', { query: { ...filter, page, page_size: pageSize }, signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <DataTable
      label={t('Audit log')}
      columns={columns(only)}
      rows={query.data?.logs}
      rowKey={({ id }) => id}
      query={query}
      minWidth={820}
      detail={{ label: ({ id }) => t('Details of entry {id}', { id }), show: (entry) => <EntryDetail entry={entry} /> }}
      paging={{ page, pageSize, total: query.data?.total ?? 0, onPage }}
      empty={{ icon: IconHistory, title: t('Nothing recorded'), description: t('No entry matches these filters.') }}
    />
  );
}
