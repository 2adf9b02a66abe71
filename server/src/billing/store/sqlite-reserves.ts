import type { Database } from 'bun:sqlite';
import { prepared } from '../../platform/db/prepared.ts';
import type { HoldRow } from './port.ts';

/** What a process has put aside for open requests of one user with one key. */
interface Sum {
  owner: string;
  userId: number;
  keyId: number;
  holds: number;
  amount: number;
  keyAmount: number;
  rows: HoldRow[];
}

/** Adds up a batch first: most of its rows go to the same few sums. */
function sumsOf(rows: readonly HoldRow[]): Sum[] {
  const sums: Sum[] = [];
  for (const row of rows) {
    let sum = sums.find((one) => one.userId === row.user_id && one.keyId === row.key_id && one.owner === row.owner);
    if (!sum) {
      sum = { owner: row.owner, userId: row.user_id, keyId: row.key_id, holds: 0, amount: 0, keyAmount: 0, rows: [] };
      sums.push(sum);
    }
    sum.holds += 1;
    sum.amount += row.amount;
    sum.keyAmount += Math.max(0, row.key_amount);
    sum.rows.push(row);
  }
  return sums;
}

export function reserve(db: Database, rows: readonly HoldRow[]): void {
  const add = prepared(
    db,
    `insert into billing_reserves (owner, user_id, key_id, holds, amount, key_amount) values (?1, ?2, ?3, ?4, ?5, ?6)
     on conflict do update set holds = holds + ?4, amount = amount + ?5, key_amount = key_amount + ?6`,
  );
  for (const { owner, userId, keyId, holds, amount, keyAmount } of sumsOf(rows))
    add.run(owner, userId, keyId, holds, amount, keyAmount);
}

/** Takes holds out of their sums again. Returns those that were not there any more: whoever took us for dead gave them back. */
export function unreserve(db: Database, rows: readonly HoldRow[]): HoldRow[] {
  const take = prepared(
    db,
    `update billing_reserves set holds = holds - ?4, amount = amount - ?5, key_amount = key_amount - ?6
     where owner = ?1 and user_id = ?2 and key_id = ?3 and holds >= ?4 and amount >= ?5 and key_amount >= ?6`,
  );
  return sumsOf(rows).flatMap(({ owner, userId, keyId, holds, amount, keyAmount, rows }) =>
    take.run(owner, userId, keyId, holds, amount, keyAmount).changes === 1 ? [] : rows,
  );
}

/** Gives back what processes had put aside that are gone; tells how many holds that were. */
export function returnReserves(db: Database): number {
  const dead = prepared<
    { owner: string; user_id: number; key_id: number; holds: number; amount: number; key_amount: number },
    []
  >(db, 'select * from billing_reserves where holds > 0 and owner not in (select id from owners)').all();
  for (const { owner, user_id, key_id, amount, key_amount } of dead) {
    prepared(db, 'update users set quota = quota + ? where id = ?').run(amount, user_id);
    prepared(db, 'update api_keys set remain_quota = remain_quota + ? where id = ?').run(key_amount, key_id);
    prepared(db, 'delete from billing_reserves where owner = ? and user_id = ? and key_id = ?').run(
      owner,
      user_id,
      key_id,
    );
  }
  return dead.reduce((sum, { holds }) => sum + holds, 0);
}

/** Of users and keys that have no request open any more. */
export function dropEmptySums(db: Database): void {
  prepared(db, 'delete from billing_reserves where holds = 0').run();
}
