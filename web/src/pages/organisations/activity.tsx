import { Badge, Stack } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { LongName } from '../../components/long-name.tsx';
import { ShowMore } from '../../components/show-more.tsx';
import { formatDateTime } from '../../format.ts';
import { t } from '../../language/words.ts';
import type { Organisation } from '../../organisations.ts';
import { actDetails, actWords } from './act-words.ts';
import type { LevelNames } from './levels.ts';
import { type Act, actsQuery } from './organisation-queries.ts';
import { useLevelNames } from './use-level-names.ts';

const columns = (known: LevelNames): Column<Act>[] => [
  { key: 'at', header: t('Time'), cell: ({ at }) => formatDateTime(at) },
  {
    key: 'who',
    header: t('Who'),
    cell: ({ actor }) => <bdi>{actor.name || t('User {id}', { id: actor.id ?? '–' })}</bdi>,
  },
  { key: 'what', header: t('What'), cell: ({ action }) => <Badge color="gray">{actWords({ action })}</Badge> },
  {
    key: 'details',
    header: t('Details'),
    wrap: true,
    cell: (act) => (
      <bdi>
        <LongName text={actDetails(act, known) || '–'} />
      </bdi>
    ),
  },
];

/** The audit log: who changed what. */
export function Activity({ organisation }: { organisation: Organisation }) {
  const known = useLevelNames(organisation);
  const query = useInfiniteQuery(actsQuery(organisation.id));
  return (
    <Stack gap="sm">
      <DataTable
        label={t('Activity log')}
        columns={columns(known)}
        rows={query.data?.pages.flatMap((page) => page.logs)}
        rowKey={({ id }) => id}
        query={query}
        grows
        minWidth={760}
        empty={{ icon: IconHistory, title: t('Nothing recorded') }}
      />
      <ShowMore query={query} size="sm" mx="auto" />
    </Stack>
  );
}
