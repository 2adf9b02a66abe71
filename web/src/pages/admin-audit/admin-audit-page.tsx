import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { PageHeader } from '../../components/page-header.tsx';
import { daysNote } from '../../format.ts';
import { t } from '../../language/words.ts';
import { usePage, useUrlState } from '../../use-url-state.ts';
import { AuditFilters } from './audit-filters.tsx';
import { auditDefaults, auditFits, csvAddress, filterOf } from './audit-state.ts';
import { AuditTable } from './audit-table.tsx';

export function AdminAuditPage() {
  const [state, set] = useUrlState(auditDefaults, auditFits);
  const [page, setPage] = usePage();
  return (
    <>
      <PageHeader
        title={t('Audit')}
        description={`${t('Sign-ins and changes to permissions and settings, newest first.')} ${daysNote()}`}
        actions={
          <Button
            component="a"
            href={csvAddress(state)}
            download
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
          >
            {t('Download CSV')}
          </Button>
        }
      />
      <AuditFilters state={state} set={set} />
      <AuditTable
        filter={filterOf(state)}
        page={page}
        onPage={setPage}
        only={(filter) => set({ ...filter, page: '1' })}
      />
    </>
  );
}
