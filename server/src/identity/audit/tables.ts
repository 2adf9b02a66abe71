import type { Generated, Insertable, Selectable } from 'kysely';

/** Everything that changed who may do what, and every sign-in. No references: the log outlives what it speaks of. */
interface AuditTable {
  id: Generated<number>;
  action: string;
  /** Null for whoever is no user, or not known to be one; users are named by their row, so that forgetting one is enough. */
  actor_id: number | null;
  /** Of what is no user, such as a command; else empty. */
  actor_name: string;
  /** Empty where nothing was acted on. */
  target_type: string;
  /** Null for what is known by its name alone. */
  target_id: number | null;
  /** As it was called then; empty for users. */
  target_name: string;
  /** JSON object. */
  state_before: string | null;
  state_after: string | null;
  /** JSON object: what else belongs to the entry. */
  metadata: string;
  ip: string;
  user_agent: string;
  created_at: number;
}

/** What the log speaks of, each by each name once; the database keeps it by itself. */
interface AuditTargetsTable {
  id: Generated<number>;
  target_type: string;
  /** 0 for what is known by its name alone. */
  target_id: number;
  target_name: string;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    audit_log: AuditTable;
    audit_targets: AuditTargetsTable;
  }
}

export type AuditRow = Selectable<AuditTable>;
export type NewAuditRow = Omit<Insertable<AuditTable>, 'id'>;
