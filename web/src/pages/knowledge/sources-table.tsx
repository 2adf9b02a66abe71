import { ActionIcon, Badge, Progress, Stack, Text, Title } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { del } from '../../api.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { actsColumn, DataTable } from '../../components/data-table.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { QueryFault } from '../../components/query-fault.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatBytes, formatNumber } from '../../format.ts';
import { serverText } from '../../language/server-texts.ts';
import { rich, t } from '../../language/words.ts';
import { reloadKnowledge } from './knowledge-queries.ts';
import { type Source, sourcePageSize, sourcesQuery } from './sources-queries.ts';

const stateWords = {
  waiting: t('Waiting'),
  reading: t('Importing'),
  ready: t('Ready'),
  failed: t('Failed'),
  deleting: t('Deleting'),
};
const stateColors = { waiting: 'gray', reading: 'blue', ready: 'teal', failed: 'red', deleting: 'gray' };

function State({ source }: { source: Source }) {
  const { state, entries, total_entries, name } = source;
  return (
    <Stack gap={4} miw={120}>
      <Badge size="sm" color={stateColors[state]}>
        {stateWords[state]}
      </Badge>
      {state === 'reading' && total_entries !== null && (
        <Progress
          value={total_entries === 0 ? 0 : (100 * entries) / total_entries}
          size="sm"
          aria-label={t('Import progress of {name}', { name })}
        />
      )}
    </Stack>
  );
}

const columnsOf = (onDelete: (source: Source) => void): Column<Source>[] => [
  {
    key: 'name',
    header: t('File'),
    wrap: true,
    cell: ({ name, error }) => (
      <Stack gap={4}>
        <Text size="sm" className="svc-anywhere">
          {name}
        </Text>
        {error && (
          <Text size="xs" c="dimmed">
            {serverText(error)}
          </Text>
        )}
      </Stack>
    ),
  },
  { key: 'state', header: t('State'), cell: (source) => <State source={source} /> },
  { key: 'entries', header: t('Passages'), align: 'right', cell: ({ entries }) => formatNumber(entries) },
  { key: 'size', header: t('Size'), align: 'right', cell: ({ size }) => formatBytes(size) },
  { key: 'created_at', header: t('Imported'), cell: ({ created_at }) => <TimeAgo at={created_at} /> },
  {
    ...actsColumn(),
    cell: (source) => (
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t('Delete {name}', { name: source.name })}
        onClick={() => onDelete(source)}
      >
        <IconTrash size={18} aria-hidden />
      </ActionIcon>
    ),
  },
];

/** The number of ready files; when it changes there are new entries to load. */
const readyOf = (sources: Source[] = []): number => sources.filter(({ state }) => state === 'ready').length;

/** Imported files; renders nothing while there are none. */
export function SourcesTable() {
  const [page, setPage] = useState(1);
  const [deleting, setDeleting] = useState<Source | null>(null);
  const query = useQuery(sourcesQuery(page));
  const ready = readyOf(query.data?.sources);
  const before = useRef(ready);
  useEffect(() => {
    if (ready !== before.current) void reloadKnowledge();
    before.current = ready;
  }, [ready]);
  if (!query.data)
    return <QueryFault query={query} title={t('{label} could not be loaded', { label: t('Imported files') })} />;
  if (query.data.total === 0 && page === 1) return null;
  return (
    <Stack component="section" gap="xs" mb="lg" aria-label={t('Imported files')}>
      <Title order={2} size="h4">
        {t('Imported files')}
      </Title>
      <DataTable
        label={t('Imported files')}
        columns={columnsOf(setDeleting)}
        rows={query.data.sources}
        rowKey={({ id }) => id}
        query={query}
        empty={null}
        paging={{ page, pageSize: sourcePageSize, total: query.data.total, onPage: setPage }}
      />
      <ConfirmDelete
        opened={deleting !== null}
        onClose={() => setDeleting(null)}
        title={t('Delete this file?')}
        confirmLabel={t('Delete file')}
        onConfirm={async () => {
          if (deleting) await del('/api/svc-ms/knowledge/sources/{id}', { path: { id: deleting.id } });
          notifySuccess(t('File deleted'));
          await reloadKnowledge();
        }}
      >
        {rich('Models will no longer recall the passages of <strong>{name}</strong>. This cannot be undone.', {
          name: deleting?.name ?? '',
          strong: (name) => <strong>{name}</strong>,
        })}
      </ConfirmDelete>
    </Stack>
  );
}
