import { endOf, isDay, startOf } from '../../dates.ts';
import { isWhole, upTo } from '../../filter-values.ts';

/** The URL's search parameters. */
export const auditDefaults = { page: '1', action: '', actor: '', target: '', user: '', from: '', to: '' };
export const auditFits = {
  action: upTo(100),
  actor: upTo(200),
  target: upTo(200),
  user: isWhole,
  from: isDay,
  to: isDay,
};
export type AuditState = typeof auditDefaults;

/** The filter as query parameters of the API; invalid values are dropped. */
export function filterOf(state: AuditState): Record<string, string | number> {
  const filter = {
    action: state.action || undefined,
    actor: state.actor || undefined,
    target: state.target || undefined,
    user_id: isWhole(state.user) ? Number(state.user) : undefined,
    from: startOf(state.from),
    to: endOf(state.to),
  };
  return Object.fromEntries(
    Object.entries(filter).filter((entry): entry is [string, string | number] => entry[1] !== undefined),
  );
}

export function csvAddress(state: AuditState): string {
  const query = new URLSearchParams({ format: 'csv' });
  for (const [name, value] of Object.entries(filterOf(state))) query.set(name, String(value));
  return `/api/admin/audit?${query}`;
}
