import type { Generated, Selectable } from 'kysely';
import { deletingPast } from '../../platform/db/delete-rows.ts';
import { findRow } from '../../platform/db/find-row.ts';
import { all, statement } from '../../platform/db/statement.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Write } from './approve.ts';

interface PushedRequestsTable {
  id: Generated<number>;
  uri_hash: string;
  application_id: number;
  /** JSON of an authorization request. */
  request: string;
  created_at: number;
  /** Extended once the page was opened. */
  expires_at: number;
  used_at: number | null;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    oauth_pushed_requests: PushedRequestsTable;
  }
}

export type PushedRow = Selectable<PushedRequestsTable>;

export async function insertPushed(db: Db, row: Omit<PushedRow, 'id' | 'used_at'>): Promise<void> {
  await db.insertInto('oauth_pushed_requests').values(row).execute();
}

export const findPushed = (db: Db, uriHash: string): Promise<PushedRow | null> =>
  findRow(db, 'oauth_pushed_requests', { uri_hash: uriHash });

export async function keepPushed(db: Db, id: number, until: number): Promise<void> {
  await db
    .updateTable('oauth_pushed_requests')
    .set({ expires_at: until })
    .where('id', '=', id)
    .where('expires_at', '<', until)
    .execute();
}

const spend = statement('update oauth_pushed_requests set used_at = $2 where id = $1 and used_at is null returning id');

/** Consumes it as part of another statement; returns a row once. */
export const spendingPushed = ({ id }: PushedRow, now: number): Write => ({ statement: spend, values: [id, now] });

/** The same alone; false if it was used before. */
export async function spendPushed(db: Db, row: PushedRow, now: number): Promise<boolean> {
  const write = spendingPushed(row, now);
  return (await all(db, write.statement, write.values)).length === 1;
}

export const deleteOldPushed = deletingPast('oauth_pushed_requests', 'id', 'expires_at');
