import { prepared } from '../../platform/db/prepared.ts';
import { writeSync } from '../../platform/db/sqlite-dialect.ts';
import { all, placeholders, statement } from '../../platform/db/statement.ts';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import { applicationStatus } from '../status.ts';
import { type NewPair, pairColumns, pairValues } from './issue.ts';
import type { TokenRow } from './tables.ts';

/** An exchanged token: its row has a refresh token like any other, which is never given out. */
type ExchangedPair = NewPair & Pick<TokenRow, 'subject_id' | 'parent_id' | 'act'>;

const columns = `${pairColumns}, subject_id, parent_id, act`;
const valuesOf = (pair: ExchangedPair) => [...pairValues(pair), pair.subject_id, pair.parent_id, pair.act];

const living = `select t.id from oauth_tokens t
  join oauth_applications a on a.id = t.application_id and a.epoch = t.epoch and a.status = ${applicationStatus.active}
  where t.id = $1 and t.access_expires_at > $2 and t.access_revoked = 0 and t.revoked = 0 and t.rotated_at_ms is null`;

/** Concurrent revocation or suspension waits for the exchange, and then finds its result. */
const exchangePostgres = statement(`with parent as (${living} for share)
  insert into oauth_tokens (${columns})
  select $3::bigint, $4::bigint, $5::bigint, $6::bigint, $7, $8, $9::bigint, $10, $11, $12::bigint, $13::bigint, $14::bigint, $15::text,
    $16::text, $17::text, $18::text, 0, 0, $19::bigint, $20::bigint, $21::text
  from parent returning id`);
const livingSqlite = placeholders(living);
const insertSqlite = `insert into oauth_tokens (${columns}) values (${'?, '.repeat(16)}0, 0, ?, ?, ?)`;

/** Written only if the subject token is still valid; otherwise false. */
export async function insertExchanged(db: Db, pair: ExchangedPair): Promise<boolean> {
  const { parent_id, created_at } = pair;
  if (engineOf(db) === 'postgres')
    return (await all(db, exchangePostgres, [parent_id, created_at, ...valuesOf(pair)])).length === 1;
  return writeSync(db, (writer) => {
    if (!prepared(writer, livingSqlite).get(parent_id, created_at)) return false;
    prepared(writer, insertSqlite).run(...valuesOf(pair));
    return true;
  });
}

/**
 * Revokes what others got in exchange for an application's exchanged tokens, recursively; returns the users. Tokens
 * granted by users directly are checked with every use of what was exchanged for them.
 */
export async function revokeExchangedBy(db: Db, applicationId: number): Promise<Set<number>> {
  const own = db
    .selectFrom('oauth_tokens as p')
    .select('p.id')
    .where('p.application_id', '=', applicationId)
    .where('p.parent_id', 'is not', null);
  const revoke = () => db.updateTable('oauth_tokens').set({ access_revoked: 1 }).returning(['id', 'user_id']);
  const users = new Set<number>();
  let revoked = await revoke().where('parent_id', 'in', own).execute();
  while (revoked.length > 0) {
    for (const { user_id } of revoked) users.add(user_id);
    const parents = revoked.map(({ id }) => id);
    revoked = await revoke().where('parent_id', 'in', parents).execute();
  }
  return users;
}
