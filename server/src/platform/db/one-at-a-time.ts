import { sql } from 'kysely';
import { type Db, engineOf } from './tables.ts';

/** What is done one at a time, and of whom. Their letters are the number by which PostgreSQL tells these locks apart. */
const spaces = {
  playground: 'play',
  ownKeysOfUser: 'ownu',
  ownKeysOfTeam: 'ownt',
  knowledge: 'mskn',
  runs: 'msru',
  videosOfChannel: 'vide',
  approvals: 'mcpa',
};

export type LockSpace = keyof typeof spaces;

/**
 * Until the transaction ends nobody else is past this line for the same owner: of those that begin together, each counts what
 * the ones before it have written. SQLite has one writer anyway.
 */
export async function oneAtATime(tx: Db, space: LockSpace, ownerId: number): Promise<void> {
  if (engineOf(tx) !== 'postgres') return;
  const number = Buffer.from(spaces[space]).readInt32BE();
  await sql`select pg_advisory_xact_lock(${sql.lit(number)}, ${sql.lit(ownerId % 2 ** 31)})`.execute(tx);
}
