import { sql } from 'kysely';
import { type Db, engineOf } from '../../platform/db/tables.ts';

/** Names this lock among whatever else is locked by a number in the same database. */
const lockSpace = 0x6d73_6b6e;

/** Until the transaction ends nobody else imports entries of the same user; SQLite has one writer anyway. */
export async function oneAtATime(tx: Db, userId: number): Promise<void> {
  if (engineOf(tx) === 'postgres')
    await sql`select pg_advisory_xact_lock(${sql.lit(lockSpace)}, ${sql.lit(userId % 2 ** 31)})`.execute(tx);
}
