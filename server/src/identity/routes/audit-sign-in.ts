import { AppError } from '../../lib/errors.ts';
import type { Call } from '../../platform/http/route.ts';
import type { AuditLog } from '../audit/log.ts';
import { originOf } from '../audit/record-acts.ts';

/** Audits sign-ins of all kinds. */
export function auditSignIn(
  audit: AuditLog,
  call: Call,
  action: string,
  id: number,
  metadata?: Record<string, unknown>,
): void {
  audit.record({
    action,
    actor: id,
    target: { type: 'user', id },
    origin: originOf(call),
    ...(metadata && { metadata }),
  });
}

/** `step` names what followed or replaced the password. */
export function tellFailure(audit: AuditLog, call: Call, id: number | null, error: unknown, step?: string): void {
  const reason = error instanceof AppError ? error.code : 'internal_error';
  const metadata = { reason, ...(step && { step }) };
  const target = { type: 'user', id };
  audit.record({ action: 'login_failed', actor: null, target, metadata, origin: originOf(call) });
}
