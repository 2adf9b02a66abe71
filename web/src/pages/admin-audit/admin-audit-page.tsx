import { Anchor, Badge, Button, Text } from '@mantine/core';
import { IconDownload, IconHistory } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { get } from '../../api.ts';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { formatDateTime } from '../../format.ts';
import { usePage, useUrlState } from '../../use-url-state.ts';
import { kindOf, wordsOf } from './audit-events.ts';
import { AuditFilters } from './audit-filters.tsx';
import { type AuditState, auditDefaults, csvAddress, filterOf } from './audit-state.ts';
import { type Entry, EntryDetail } from './entry-detail.tsx';

const pageSize = 25;

function EventBadge({ action }: { action: string }) {
  const { label, color } = wordsOf(action);
  return <Badge color={color}>{label}</Badge>;
}

interface NameFilterProps {
  id: number | string | null;
  name: string;
  what: string;
  onClick: (text: string) => void;
}

/** A name, or the id where there is none; a click filters the log by it. */
function NameFilter({ id, name, what, onClick }: NameFilterProps) {
  const text = name || String(id ?? '');
  if (text === '') return '–';
  return (
    <Anchor component="button" type="button" size="sm" onClick={() => onClick(text)}>
      <span className="svc-hidden">{`Only entries of ${what} `}</span>
      {text}
      {name !== '' && id !== null && id !== name && <Text span inherit size="xs" c="dimmed">{` ${id}`}</Text>}
    </Anchor>
  );
}

const columns = (only: (filter: Partial<AuditState>) => void): Column<Entry>[] => [
  { key: 'at', header: 'Time', cell: ({ at }) => formatDateTime(at) },
  { key: 'event', header: 'Event', cell: ({ action }) => <EventBadge action={action} /> },
  {
    key: 'actor',
    header: 'Who',
    cell: ({ actor }) => <NameFilter {...actor} what="user" onClick={(text) => only({ actor: text })} />,
  },
  {
    key: 'target',
    header: 'What',
    cell: ({ target }) => (
      <>
        {target.type && target.id !== null && <Text span size="sm" c="dimmed">{`${kindOf(target.type)} `}</Text>}
        <NameFilter {...target} what={kindOf(target.type)} onClick={(text) => only({ target: text })} />
      </>
    ),
  },
  { key: 'ip', header: 'Address', cell: ({ ip }) => ip || '–' },
];

export function AdminAuditPage() {
  const [state, set] = useUrlState(auditDefaults);
  const [page, setPage] = usePage();
  const filter = filterOf(state);
  const query = useQuery({
    queryKey: ['audit', filter, page],
    queryFn: ({ signal }) => get('/api/admin/audit', { query: { ...filter, page, page_size: pageSize }, signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHeader
        title="Audit"
        description="Who signed in, and who changed what anybody may do, newest first. Days are counted in UTC."
        actions={
          <Button
            component="a"
            href={csvAddress(state)}
            download
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
          >
            Download CSV
          </Button>
        }
      />
      <AuditFilters state={state} set={set} />
      <DataTable
        label="Audit log"
        columns={columns((filter) => set({ ...filter, page: '1' }))}
        rows={query.data?.logs}
        rowKey={({ id }) => id}
        query={query}
        minWidth={820}
        detail={{ label: ({ id }) => `Details of entry ${id}`, show: (entry) => <EntryDetail entry={entry} /> }}
        paging={{ page, pageSize, total: query.data?.total ?? 0, onPage: setPage }}
        empty={<EmptyState icon={IconHistory} title="Nothing recorded" description="No entry matches these filters." />}
      />
    </>
  );
}
