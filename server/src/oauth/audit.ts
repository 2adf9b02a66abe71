import { type Clock, nowSeconds } from '../lib/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Origin } from './origin.ts';
import { type AuditDeps, insertAudit, type NewAuditRow } from './store/audit.ts';

/** All kinds of entries (spec §2.9). */
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
export type AuditEvent = (typeof auditEvents)[number];

export interface AuditEntry {
  application_id: number | null;
  user_id: number | null;
  metadata: Record<string, unknown>;
}

/** Entries are gathered and written together, off the request's path. */
export interface Audit {
  record(event: AuditEvent, origin: Origin, entry: AuditEntry): void;
  /** Everything recorded so far is written when this resolves. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

const flushMs = 200;
/** Rows of one insert: few enough to keep SQLite's writer free for others. */
const mostPerInsert = 200;
/** Kept while the database is away; beyond this the oldest are given up, or memory would fill. */
const mostWaiting = 100_000;

export function openAudit(deps: AuditDeps & { clock: Clock; log: Log }): Audit {
  const waiting: NewAuditRow[] = [];
  let writing: Promise<void> = Promise.resolve();
  let timer: Timer | null = null;

  const write = async () => {
    while (waiting.length > 0) {
      const rows = waiting.splice(0, mostPerInsert);
      try {
        await insertAudit(deps, rows);
      } catch (error) {
        waiting.unshift(...rows);
        throw error;
      }
    }
  };
  const flush = (): Promise<void> => {
    if (timer) clearTimeout(timer);
    timer = null;
    writing = writing.then(write).catch((error) => {
      deps.log.error({ error, waiting: waiting.length }, 'audit entries could not be written; trying again');
      schedule(10 * flushMs);
    });
    return writing;
  };
  const schedule = (ms: number) => {
    timer ??= setTimeout(() => void flush(), ms);
  };

  return {
    record: (event, origin, entry) => {
      if (waiting.length >= mostWaiting) {
        waiting.splice(0, mostPerInsert);
        deps.log.error({ lost: mostPerInsert }, 'audit entries given up: the database has been away for too long');
      }
      waiting.push({
        event_type: event,
        application_id: entry.application_id,
        user_id: entry.user_id,
        ip_address: origin.ip,
        user_agent: origin.userAgent.replace(/\0/g, '').toWellFormed().slice(0, 500),
        metadata: JSON.stringify(entry.metadata),
        created_at: nowSeconds(deps.clock),
      });
      schedule(flushMs);
    },
    flush,
    stop: async () => {
      await flush();
      if (timer) clearTimeout(timer);
      timer = null;
    },
  };
}
