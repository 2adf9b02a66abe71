import { IconChartBar } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { DataTable } from '../../components/data-table.tsx';
import { t } from '../../language/words.ts';
import { groupRequests, singleRequests } from '../../requests.ts';
import { keysQuery } from '../../session.ts';
import { usageColumns } from './usage-columns.tsx';
import { UsageDetail } from './usage-detail.tsx';
import { logsQuery, pageSize } from './usage-queries.ts';
import type { LogsFilter } from './usage-range.ts';

export interface ListProps {
  page: number;
  onPage: (page: number) => void;
  /** Id of the entry whose details are open, or empty. */
  open: string;
  onOpen: (id: string) => void;
}

/** Answered requests and their cost. */
export function UsageLogs({ filter, page, onPage, open, onOpen }: ListProps & { filter: LogsFilter }) {
  const query = useQuery(logsQuery(filter, page));
  const keys = useQuery(keysQuery);
  const names = new Map(keys.data?.map(({ id, name }) => [id, name]));
  const logs = query.data?.logs;
  const total = query.data?.total ?? 0;
  const others = { newer: page > 1, older: page * pageSize < total };
  return (
    <>
      <DataTable
        label={t('Requests')}
        columns={usageColumns(names, ({ id }) => onOpen(String(id)))}
        rows={logs && ('parent_request_id' in filter ? singleRequests(logs) : groupRequests(logs, others))}
        rowKey={({ key }) => key}
        query={query}
        minWidth={920}
        paging={{ page, pageSize, total, onPage }}
        empty={{
          icon: IconChartBar,
          title: t('No requests'),
          description: t('Change the filters or dates, or make your first request with one of your keys.'),
        }}
      />
      <UsageDetail log={logs?.find(({ id }) => String(id) === open) ?? null} onClose={() => onOpen('')} />
    </>
  );
}
