import { endOf, startOf } from '../../dates.ts';

/** What the address says. */
export const auditDefaults = { page: '1', event: '', application: '', user: '', from: '', to: '' };
export type AuditState = typeof auditDefaults;

const idOf = (text: string): number | undefined => (/^\d{1,15}$/.test(text) ? Number(text) : undefined);

/** The filter as the service takes it; what makes no sense is left out. */
export function filterOf(state: AuditState): Record<string, string | number> {
  const filter = {
    event_type: state.event || undefined,
    application_id: idOf(state.application),
    user_id: idOf(state.user),
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
  return `/api/oauth2/admin/audit?${query}`;
}
