import { sql } from 'kysely';
import { type Db, engineOf } from '../../platform/db/tables.ts';

/** Names this lock among whatever else is locked by a number in the same database. */
const lockSpace = 0x706c_6179;

/** Until the transaction ends nobody else saves for the same user: what they have in all must not outgrow its limit. */
export async function oneAtATime(tx: Db, userId: number): Promise<void> {
  // SQLite has one writer anyway.
  if (engineOf(tx) === 'postgres')
    await sql`select pg_advisory_xact_lock(${sql.lit(lockSpace)}, ${sql.lit(userId % 2 ** 31)})`.execute(tx);
}
