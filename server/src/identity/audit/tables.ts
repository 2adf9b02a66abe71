import type { Generated, Insertable, Selectable } from 'kysely';

/** Everything that changed permissions, and every sign-in. No foreign keys: the log outlives what it refers to. */
interface AuditTable {
  id: Generated<number>;
  action: string;
  /** Null for non-users and unknown users; users are named by their row, so that deleting one suffices. */
  actor_id: number | null;
  /** The name of a non-user, such as a command; else empty. */
  actor_name: string;
  /** Empty if there is no target. */
  target_type: string;
  /** Null for targets known by name only. */
  target_id: number | null;
  /** The name at that time; empty for users. */
  target_name: string;
  /** JSON object. */
  state_before: string | null;
  state_after: string | null;
  /** JSON object with further details. */
  metadata: string;
  ip: string;
  user_agent: string;
  created_at: number;
}

/** All targets by each of their names; maintained by the database. */
interface AuditTargetsTable {
  id: Generated<number>;
  target_type: string;
  /** 0 for targets known by name only. */
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
