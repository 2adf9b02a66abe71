import type { AuditLog, Origin } from '../identity/audit/log.ts';
import type { Changes } from '../lib/changes.ts';

/** Event types named by the specification. */
export const auditEvents = [
  'authorization_granted',
  'authorization_denied',
  'token_issued',
  'token_refreshed',
  'token_revoked',
  'consent_revoked',
  'app_created',
  'app_updated',
  'app_deleted',
  'secret_rotated',
  'app_verified',
  'app_suspended',
  'app_activated',
] as const;
/** Event types added later. */
export const laterAuditEvents = ['consent_limit_changed', 'token_exchanged'] as const;
export type AuditEvent = (typeof auditEvents)[number] | (typeof laterAuditEvents)[number];

interface AuditEntry extends Partial<Changes> {
  application_id: number | null;
  user_id: number | null;
  metadata: Record<string, unknown>;
}

/** This room's entries: a user acts on an application. */
export interface Audit extends Pick<AuditLog, 'flush'> {
  record(event: AuditEvent, origin: Origin, entry: AuditEntry): void;
}

export const openAudit = (log: AuditLog): Audit => ({
  record: (action, origin, { application_id, user_id, ...entry }) =>
    log.record({ action, actor: user_id, target: { type: 'application', id: application_id }, origin, ...entry }),
  flush: log.flush,
});
