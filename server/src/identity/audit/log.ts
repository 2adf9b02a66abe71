import type { Changes } from '../../lib/changes.ts';
import { type Clock, nowSeconds } from '../../lib/clock.ts';
import { storableText } from '../../lib/storable-text.ts';
import type { Db } from '../../platform/db/tables.ts';
import { RowBuffer } from '../../platform/durable/batch.ts';
import type { Log } from '../../platform/log.ts';
import { insertAudit } from './store.ts';
import type { NewAuditRow } from './tables.ts';

/** Where a request came from. */
export interface Origin {
  ip: string;
  userAgent: string;
}

/** For acts without a connection, or whose origin must not be kept. */
export const nowhere: Origin = { ip: '', userAgent: '' };

interface Target {
  type: string;
  /** Text for targets known by name only. */
  id: number | string | null;
  name?: string;
}

export interface Entry extends Partial<Changes> {
  action: string;
  /** A user's id, the name of something else, or null if unknown. */
  actor: number | string | null;
  target?: Target;
  metadata?: Record<string, unknown>;
  origin: Origin;
}

/** The audit log's single writer: entries are batched and written off the request path. */
export interface AuditLog {
  record(entry: Entry): void;
  /** Resolves when everything recorded so far is written, or queued for a retry. */
  flush(): Promise<void>;
  /** Registers how targets of a type are named, for entries without a name; called once per write. */
  nameTargets(type: string, namesOf: NamesOf): void;
  stop(): Promise<void>;
}
type NamesOf = (ids: number[]) => Promise<Map<number, string>>;

/** Rows per insert, few enough to keep SQLite's writer free. */
const mostPerInsert = 200;

export function openAuditLog(deps: { db: Db; clock: Clock; log: Log }): AuditLog {
  const naming = new Map<string, NamesOf>();
  const rows = new RowBuffer<NewAuditRow>({
    everyMs: 200,
    retryMs: 2_000,
    atOnce: mostPerInsert,
    // Kept while the database is unavailable; beyond this the oldest are dropped to bound memory.
    mostWaiting: 100_000,
    write: async (batch) => {
      for (const [type, namesOf] of naming) await nameRows(batch, type, namesOf);
      await insertAudit(deps.db, batch);
    },
    failed: (error) => {
      deps.log.error({ error }, 'audit entries could not be written; retrying');
      return true;
    },
    lost: (lost) => deps.log.error({ lost }, 'audit entries dropped: the database has been unavailable for too long'),
  });
  return {
    record: (entry) => rows.add(rowOf(entry, nowSeconds(deps.clock))),
    flush: () => rows.flush(),
    nameTargets: (type, namesOf) => {
      naming.set(type, namesOf);
    },
    stop: () => rows.stop(),
  };
}

async function nameRows(rows: NewAuditRow[], type: string, namesOf: NamesOf): Promise<void> {
  const unnamed = rows.filter((row) => row.target_type === type && row.target_name === '' && row.target_id !== null);
  if (unnamed.length === 0) return;
  const names = await namesOf([...new Set(unnamed.map((row) => row.target_id!))]);
  for (const row of unnamed) row.target_name = names.get(row.target_id!) ?? '';
}

const jsonOrNull = (value: object | null | undefined): string | null => (value ? JSON.stringify(value) : null);

export function rowOf(
  { action, actor, target, before, after, metadata = {}, origin }: Entry,
  now: number,
): NewAuditRow {
  const named = typeof target?.id === 'string' ? target.id : (target?.name ?? '');
  return {
    action,
    actor_id: typeof actor === 'number' ? actor : null,
    actor_name: typeof actor === 'string' ? actor : '',
    target_type: target?.type ?? '',
    target_id: typeof target?.id === 'number' ? target.id : null,
    target_name: storableText(named, 500),
    state_before: jsonOrNull(before),
    state_after: jsonOrNull(after),
    metadata: JSON.stringify(metadata),
    ip: origin.ip,
    user_agent: storableText(origin.userAgent, 500),
    created_at: now,
  };
}
