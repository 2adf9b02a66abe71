import { sql } from 'kysely';
import { AppError } from '../../../lib/errors.ts';
import { type Db, engineOf } from '../../../platform/db/tables.ts';
import './tables.ts';

/** A run takes minutes, rarely seconds: asking more often than this helps nobody. */
const retryAfterSeconds = 30;
/** Names this lock among whatever else is locked by a number in the same database. */
const lockSpace = 0x6d73_7275;

/** Throws 429 when that many runs of the user run already. */
export async function refuseMany(db: Db, userId: number, most: number): Promise<void> {
  const { running } = await db
    .selectFrom('ms_runs')
    .select((eb) => eb.fn.countAll<number>().as('running'))
    .where('user_id', '=', userId)
    .where('status', '=', 'running')
    .executeTakeFirstOrThrow();
  if (Number(running) < most) return;
  const words = `${running} execution${Number(running) === 1 ? '' : 's'} of yours`;
  throw new AppError('too_many_runs', `${words} run already. Wait until one ends, or cancel one.`, {
    headers: { 'retry-after': `${retryAfterSeconds}` },
    body: { error: 'too_many_runs' },
  });
}

/** Takes one of a user's places until the transaction ends: of those that begin together each counts the ones before it. */
export async function takePlace(tx: Db, userId: number, most: number): Promise<void> {
  // SQLite has one writer at a time; PostgreSQL would let each count what was there before all of them.
  if (engineOf(tx) === 'postgres')
    await sql`select pg_advisory_xact_lock(${sql.lit(lockSpace)}, ${sql.lit(userId % 2 ** 31)})`.execute(tx);
  await refuseMany(tx, userId, most);
}
