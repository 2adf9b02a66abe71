import { sql } from 'kysely';
import { type Db, engineOf } from './tables.ts';

/** What is serialised per owner. The letters form the number that distinguishes these locks in PostgreSQL. */
const spaces = {
  playground: 'play',
  ownKeysOfUser: 'ownu',
  ownKeysOfTeam: 'ownt',
  knowledge: 'mskn',
  preferences: 'mspr',
  runs: 'msru',
  videosOfChannel: 'vide',
  approvals: 'mcpa',
  sealingKeys: 'seal',
  recoveryCodes: 'rcod',
  oneTimeSecrets: 'once',
  apiKeys: 'keys',
  passkeys: 'pass',
  applications: 'apps',
  registeredClients: 'regc',
  organisations: 'orgs',
};

export type LockSpace = keyof typeof spaces;

/**
 * Serialises transactions of the same owner until they end, so that each counts what the ones before it have written.
 * Not needed on SQLite, which has one writer.
 */
export async function withLock(tx: Db, space: LockSpace, ownerId: number): Promise<void> {
  if (engineOf(tx) !== 'postgres') return;
  const number = Buffer.from(spaces[space]).readInt32BE();
  await sql`select pg_advisory_xact_lock(${sql.lit(number)}, ${sql.lit(ownerId % 2 ** 31)})`.execute(tx);
}

/** A transaction of its own under that lock: what it counts is still true when it writes. */
export const inTurn = <T>(db: Db, space: LockSpace, ownerId: number, work: (tx: Db) => Promise<T>): Promise<T> =>
  db.transaction().execute(async (tx) => {
    await withLock(tx, space, ownerId);
    return work(tx);
  });
