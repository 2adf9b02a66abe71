import { type Kysely, PostgresAdapter } from 'kysely';

/**
 * All tables of the service. Each module adds its own with `declare module '../platform/db/tables.ts' { interface
 * Tables { … } }` in its store, and does not touch those of others.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface Tables {}

export type Db = Kysely<Tables>;
export type Engine = 'sqlite' | 'postgres';

/**
 * For the few statements that need one engine (full text, SKIP LOCKED, data-modifying CTEs). Also works inside a
 * transaction.
 */
export const engineOf = (db: Db): Engine =>
  db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
