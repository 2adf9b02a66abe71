import type { RecordAct } from '../../platform/http/audit.ts';
import type { Call } from '../../platform/http/route.ts';
import type { AuditLog, Origin } from './log.ts';

/** Acts declared by routes; the answer waits until they are written, so that none is missing from the log. */
export const recordActs =
  (log: AuditLog): RecordAct =>
  async (act, call) => {
    log.record({ ...act, actor: userIdOf(call), origin: originOf(call) });
    await log.flush();
  };

/** Every caller that can change something is associated with a user. */
export function userIdOf({ principal }: Call): number | null {
  return (principal as { user?: { id: number } } | null)?.user?.id ?? null;
}

export const originOf = (call: Pick<Call, 'ip' | 'request'>): Origin => ({
  ip: call.ip,
  userAgent: call.request.headers.get('user-agent') ?? '',
});
