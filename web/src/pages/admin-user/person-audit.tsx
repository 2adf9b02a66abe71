import { AnchorLink } from '../../components/link.tsx';
import { t } from '../../language/words.ts';
import { usePage } from '../../use-url-state.ts';
import { AuditTable } from '../admin-audit/audit-table.tsx';
import type { PartProps } from './part-props.ts';

/** Audit entries by this user and about this account. */
export function PersonAudit({ person: { user } }: PartProps) {
  const [page, setPage] = usePage();
  return (
    <>
      <AnchorLink
        to="/admin/audit"
        search={{ user: String(user.id) }}
        size="sm"
        underline="always"
        mb="md"
        display="block"
      >
        {t('Search and download in the audit log')}
      </AnchorLink>
      <AuditTable filter={{ user_id: user.id }} page={page} onPage={setPage} />
    </>
  );
}
