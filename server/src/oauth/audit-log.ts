import { newestAudit, pageAudit } from '../identity/audit/read.ts';
import type { AuditFilter } from '../identity/audit/read-store.ts';
import type { AuditRow } from '../identity/audit/tables.ts';
import { csvLine } from '../lib/csv.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Page } from '../platform/http/paging.ts';
import { type AuditEvent, auditEvents, laterAuditEvents } from './audit.ts';

/** The OAuth part of the audit log: what happened to applications. */
export interface AuditView {
  id: number;
  event_type: string;
  application_id: number | null;
  user_id: number | null;
  ip_address: string;
  user_agent: string;
  metadata: Record<string, unknown>;
  created_at: number;
}

export interface OAuthAuditFilter {
  event_type?: string;
  application_id?: number;
  user_id?: number;
  from?: number;
  to?: number;
}

const allEvents: readonly AuditEvent[] = [...auditEvents, ...laterAuditEvents];

/** More are exported in parts, by time. */
const mostCsvRows = 10_000;

const filterOf = ({ event_type, application_id, user_id, from, to }: OAuthAuditFilter): AuditFilter => ({
  // An empty one counts as left out, as in the other audit log.
  actions: event_type ? allEvents.filter((event) => event === event_type) : allEvents,
  ...(application_id !== undefined && { target: { type: 'application', id: application_id } }),
  actorId: user_id,
  from,
  to,
});

const viewOf = (row: AuditRow): Omit<AuditView, 'metadata'> & { metadata: string } => ({
  id: row.id,
  event_type: row.action,
  application_id: row.target_id,
  user_id: row.actor_id,
  ip_address: row.ip,
  user_agent: row.user_agent,
  metadata: row.metadata,
  created_at: row.created_at,
});

export async function auditPage(
  db: Db,
  given: OAuthAuditFilter,
  page: Page,
  cursor?: number[],
): Promise<{ logs: AuditView[]; total: number; next: number[] | null }> {
  const filter = filterOf(given);
  if (filter.actions?.length === 0) return { logs: [], total: 0, next: null };
  const { rows, total, next } = await pageAudit(db, filter, page, cursor);
  return { logs: rows.map((row) => ({ ...viewOf(row), metadata: JSON.parse(row.metadata) })), total, next };
}

const csvColumns = [
  'id',
  'event_type',
  'application_id',
  'user_id',
  'ip_address',
  'user_agent',
  'metadata',
  'created_at',
] as const;

/** The newest entries as CSV, in batches, at most `mostCsvRows`. */
export async function* auditCsv(db: Db, given: OAuthAuditFilter): AsyncGenerator<string> {
  yield csvLine(csvColumns);
  const filter = filterOf(given);
  if (filter.actions?.length === 0) return;
  for await (const rows of newestAudit(db, filter, mostCsvRows))
    yield rows
      .map(viewOf)
      .map((row) => csvLine(csvColumns.map((column) => row[column])))
      .join('');
}
