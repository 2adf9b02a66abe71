import { Button, Group } from '@mantine/core';
import { IconListSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { DataTable } from '../../components/data-table.tsx';
import { t } from '../../language/words.ts';
import { isAdmin, keysQuery, useUser } from '../../session.ts';
import { requestColumns } from './request-columns.tsx';
import { groupLines, singleLines } from './request-lines.ts';
import { type RequestsState, requestsQuery, userIdOf } from './requests-query.ts';

interface RequestTableProps {
  state: RequestsState;
  /** Opens another page: a cursor, or an empty string for the newest. */
  onCursor: (cursor: string) => void;
}

/** Requests that match the filter, paged. */
export function RequestTable({ state, onCursor }: RequestTableProps) {
  const viewer = useUser();
  const query = useQuery(requestsQuery(viewer, state));
  const keys = useQuery(keysQuery);
  const lines = query.data?.requests;
  const next = query.data?.next_cursor ?? null;
  const keyNames = new Map(keys.data?.map(({ id, name }) => [id, name]));
  // All calls of one turn belong to the same user.
  const withUser = isAdmin(viewer) && state.parent === '' && userIdOf(viewer, state.user) === undefined;
  // The service limits how much one search scans, so an empty page may still have a next one.
  const others = { newer: state.cursor !== '', older: next !== null };
  const searching = lines?.length === 0 && next !== null;
  return (
    <>
      <DataTable
        label={t('Requests')}
        columns={requestColumns({ keyNames, withUser })}
        rows={lines && (state.parent === '' ? groupLines(lines, others) : singleLines(lines))}
        rowKey={({ key }) => key}
        query={query}
        minWidth={withUser ? 940 : 860}
        empty={{
          icon: IconListSearch,
          title: searching ? t('Nothing found so far') : t('No requests'),
          description: searching
            ? t('Many requests were searched. Continue with older ones, or narrow the dates.')
            : t('Change the filters or dates, or make your first request with one of your keys.'),
        }}
      />
      {(state.cursor !== '' || next !== null) && (
        <Group justify="flex-end" gap="sm" mt="sm" component="nav" aria-label={t('Pages of requests')}>
          <Button size="sm" variant="default" disabled={state.cursor === ''} onClick={() => onCursor('')}>
            {t('Newest')}
          </Button>
          <Button size="sm" variant="default" disabled={next === null} onClick={() => next && onCursor(next)}>
            {t('Older')}
          </Button>
        </Group>
      )}
    </>
  );
}
