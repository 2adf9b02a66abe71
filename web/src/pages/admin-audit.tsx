import { Anchor, Badge, Button, Modal, Stack, Text } from '@mantine/core';
import { IconDownload, IconHistory } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { get, type Result } from '../api.ts';
import { actsColumn, type Column, DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { JsonView } from '../components/json-view.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { describeUserAgent, formatDateTime } from '../format.ts';
import { useUrlState } from '../use-url-state.ts';
import { auditEvents } from './admin-audit/audit-events.ts';
import { AuditFilters } from './admin-audit/audit-filters.tsx';
import { auditDefaults, csvAddress, filterOf } from './admin-audit/audit-state.ts';
import { type AuditNames, useAuditNames } from './admin-audit/use-audit-names.ts';

type Entry = Result<'/api/oauth2/admin/audit', 'get'>['logs'][number];

const pageSize = 25;

function EventBadge({ type }: { type: string }) {
  const { label, color } = auditEvents[type] ?? { label: type, color: 'gray' };
  return <Badge color={color}>{label}</Badge>;
}

interface Acts {
  names: AuditNames;
  show: (entry: Entry) => void;
  only: (filter: { application?: string; user?: string }) => void;
}

interface IdFilterProps {
  id: number | null;
  name?: string;
  what: string;
  onClick: () => void;
}

/** A name and its id, which narrow the log to themselves. */
function IdFilter({ id, name, what, onClick }: IdFilterProps) {
  if (id === null) return '–';
  return (
    <Anchor component="button" type="button" size="sm" onClick={onClick}>
      <span className="svc-hidden">{`Only entries of ${what} `}</span>
      {name !== undefined && `${name} `}
      <Text span inherit size={name === undefined ? 'sm' : 'xs'} c={name === undefined ? undefined : 'dimmed'}>
        {id}
      </Text>
    </Anchor>
  );
}

const columns = ({ show, only, names }: Acts): Column<Entry>[] => [
  { key: 'at', header: 'Time', cell: ({ created_at }) => formatDateTime(created_at) },
  { key: 'event', header: 'Event', cell: ({ event_type }) => <EventBadge type={event_type} /> },
  {
    key: 'app',
    header: 'Application',
    cell: ({ application_id: id }) => (
      <IdFilter
        id={id}
        name={names.applications[id ?? 0]}
        what="application"
        onClick={() => only({ application: String(id) })}
      />
    ),
  },
  {
    key: 'user',
    header: 'User',
    cell: ({ user_id: id }) => (
      <IdFilter id={id} name={names.users[id ?? 0]} what="user" onClick={() => only({ user: String(id) })} />
    ),
  },
  { key: 'ip', header: 'Address', cell: ({ ip_address }) => ip_address || '–' },
  {
    key: 'agent',
    header: 'Client',
    cell: ({ user_agent }) => (
      <Text span size="sm" title={user_agent}>
        {user_agent ? describeUserAgent(user_agent) : '–'}
      </Text>
    ),
  },
  {
    ...actsColumn('Detail'),
    cell: (entry) => (
      <Button
        size="compact-sm"
        variant="subtle"
        aria-label={`Details of entry ${entry.id}`}
        onClick={() => show(entry)}
      >
        Details
      </Button>
    ),
  },
];

function Details({ entry, names, onClose }: { entry: Entry; names: AuditNames; onClose: () => void }) {
  const facts = [
    formatDateTime(entry.created_at),
    names.applications[entry.application_id ?? 0],
    names.users[entry.user_id ?? 0],
  ];
  return (
    <Modal opened onClose={onClose} title={auditEvents[entry.event_type]?.label ?? entry.event_type} size="lg">
      <Stack>
        <Text size="sm" c="dimmed">
          {facts.filter(Boolean).join(' · ')}
        </Text>
        <JsonView label="audit entry" value={entry} />
      </Stack>
    </Modal>
  );
}

export function AdminAuditPage() {
  const [state, set] = useUrlState(auditDefaults);
  const page = Math.max(1, Number.parseInt(state.page, 10) || 1);
  const [shown, setShown] = useState<Entry | null>(null);
  const filter = filterOf(state);
  const query = useQuery({
    queryKey: ['audit', filter, page],
    queryFn: ({ signal }) =>
      get('/api/oauth2/admin/audit', { query: { ...filter, page, page_size: pageSize }, signal }),
    placeholderData: keepPreviousData,
  });
  const names = useAuditNames(query.data?.logs);
  return (
    <>
      <PageHeader
        title="Audit"
        description="Who granted, used, changed and revoked access through OAuth, newest first. Days are counted in UTC."
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
        columns={columns({ names, show: setShown, only: (filter) => set({ ...filter, page: '1' }) })}
        rows={query.data?.logs}
        rowKey={({ id }) => id}
        query={query}
        minWidth={940}
        paging={{ page, pageSize, total: query.data?.total ?? 0, onPage: (next) => set({ page: String(next) }) }}
        empty={<EmptyState icon={IconHistory} title="Nothing recorded" description="No entry matches these filters." />}
      />
      {shown && <Details entry={shown} names={names} onClose={() => setShown(null)} />}
    </>
  );
}
