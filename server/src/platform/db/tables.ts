import { type Kysely, PostgresAdapter } from 'kysely';

/**
 * All tables of the service. Each room adds its own with
 * `declare module '../platform/db/tables.ts' { interface Tables { … } }` in its store, and touches no other room's.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface Tables {}

export type Db = Kysely<Tables>;
export type Engine = 'sqlite' | 'postgres';

/** For the few statements that need one engine (full text, SKIP LOCKED, data-modifying CTEs). Works inside a transaction too. */
export const engineOf = (db: Db): Engine =>
  db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
