import { prepared } from '../../platform/db/prepared.ts';
import { writeSync } from '../../platform/db/sqlite-dialect.ts';
import { all, placeholders, statement } from '../../platform/db/statement.ts';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import { Batcher } from '../../platform/durable/batch.ts';
import type { TokenRow } from './tables.ts';

export type NewPair = Omit<
  TokenRow,
  'access_revoked' | 'rotated_at_ms' | 'revoked' | 'last_used_at' | 'subject_id' | 'parent_id' | 'act'
>;

/**
 * Consumes a code, device code or refresh token and writes its tokens in one conditional write; false if it was
 * consumed before.
 */
export interface Issuer {
  useCode(codeId: number, nowSeconds: number, pair: NewPair): Promise<boolean>;
  useDeviceCode(deviceCodeId: number, nowSeconds: number, pair: NewPair): Promise<boolean>;
  rotate(tokenId: number, nowMs: number, pair: NewPair): Promise<boolean>;
}

export const pairColumns = `id, family, application_id, user_id, access_hash, access_scope, access_expires_at, refresh_hash, scope,
  expires_at, epoch, created_at, sign_in, jkt, resource, access_resource, access_revoked, revoked`;
export const pairValues = (pair: NewPair): (string | number | null)[] => [
  pair.id,
  pair.family,
  pair.application_id,
  pair.user_id,
  pair.access_hash,
  pair.access_scope,
  pair.access_expires_at,
  pair.refresh_hash,
  pair.scope,
  pair.expires_at,
  pair.epoch,
  pair.created_at,
  pair.sign_in,
  pair.jkt,
  pair.resource,
  pair.access_resource,
];

export function openIssuer(db: Db): Issuer {
  return engineOf(db) === 'postgres' ? postgresIssuer(db) : sqliteIssuer(db);
}

/** The insert reads from the update: a consumed grant returns no row, and so no tokens. */
const spendAndInsert = (spend: string) =>
  statement(`with spent as (${spend} returning id)
  insert into oauth_tokens (${pairColumns})
  select $3::bigint, $4::bigint, $5::bigint, $6::bigint, $7, $8, $9::bigint, $10, $11, $12::bigint, $13::bigint, $14::bigint, $15::text,
    $16::text, $17::text, $18::text, 0, 0
  from spent returning id`);
const spendCode = 'update oauth_codes set used_at = $2 where id = $1 and used_at is null';
const spendDeviceCode = 'update oauth_device_codes set used_at = $2 where id = $1 and used_at is null and approved = 1';
const spendToken = 'update oauth_tokens set rotated_at_ms = $2 where id = $1 and rotated_at_ms is null and revoked = 0';
const useCodePostgres = spendAndInsert(spendCode);
const useDeviceCodePostgres = spendAndInsert(spendDeviceCode);
const rotatePostgres = spendAndInsert(spendToken);

function postgresIssuer(db: Db): Issuer {
  const run = async (text: typeof useCodePostgres, id: number, now: number, pair: NewPair) =>
    (await all(db, text, [id, now, ...pairValues(pair)])).length === 1;
  return {
    useCode: (id, now, pair) => run(useCodePostgres, id, now, pair),
    useDeviceCode: (id, now, pair) => run(useDeviceCodePostgres, id, now, pair),
    rotate: (id, now, pair) => run(rotatePostgres, id, now, pair),
  };
}

interface Spending {
  spend: string;
  id: number;
  now: number;
  pair: NewPair;
}

const spendCodeSqlite = placeholders(spendCode);
const spendDeviceCodeSqlite = placeholders(spendDeviceCode);
const spendTokenSqlite = placeholders(spendToken);
const insertSqlite = `insert into oauth_tokens (${pairColumns}) values (${'?, '.repeat(16)}0, 0)`;

/** Concurrent writes share one commit. */
function sqliteIssuer(db: Db): Issuer {
  const batcher = new Batcher<Spending, boolean>((items) =>
    writeSync(db, (writer) =>
      items.map(({ spend, id, now, pair }) => {
        if (prepared(writer, spend).run(id, now).changes !== 1) return false;
        prepared(writer, insertSqlite).run(...pairValues(pair));
        return true;
      }),
    ),
  );
  return {
    useCode: (id, now, pair) => batcher.add({ spend: spendCodeSqlite, id, now, pair }),
    useDeviceCode: (id, now, pair) => batcher.add({ spend: spendDeviceCodeSqlite, id, now, pair }),
    rotate: (id, now, pair) => batcher.add({ spend: spendTokenSqlite, id, now, pair }),
  };
}
