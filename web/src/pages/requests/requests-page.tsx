import { Box } from '@mantine/core';
import { PageHeader } from '../../components/page-header.tsx';
import { ParentFilterNotice } from '../../components/parent-filter-notice.tsx';
import { daysNote } from '../../format.ts';
import { t } from '../../language/words.ts';
import { isAdmin, useUser } from '../../session.ts';
import { useUrlState } from '../../use-url-state.ts';
import { KeepContents } from './keep-contents.tsx';
import { RequestFilters } from './request-filters.tsx';
import { RequestTable } from './request-table.tsx';
import { requestsDefaults, requestsFits } from './requests-query.ts';

/** All requests, answered or failed. */
export function RequestsPage() {
  const [state, set] = useUrlState(requestsDefaults, requestsFits);
  const admin = isAdmin(useUser());
  return (
    <>
      <PageHeader
        title={t('Requests')}
        description={`${
          admin
            ? t('All requests of all users, whatever their outcome. Open one to see its cost, routing and error.')
            : t('All your requests, whatever their outcome. Open one to see its cost, routing and error.')
        } ${daysNote()}`}
      />
      <KeepContents />
      <RequestFilters state={state} set={set} />
      {state.parent !== '' && (
        <Box mb="md">
          <ParentFilterNotice parent={state.parent} onAll={() => set({ parent: '', cursor: '' })} />
        </Box>
      )}
      <RequestTable state={state} onCursor={(cursor) => set({ cursor }, 'push')} />
    </>
  );
}
