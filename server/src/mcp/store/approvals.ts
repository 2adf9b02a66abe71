import type { Selectable } from 'kysely';
import { parseExactly } from '../../lib/exact-json.ts';
import { countRows } from '../../platform/db/list-page.ts';
import type { Db } from '../../platform/db/tables.ts';
import { withLock } from '../../platform/db/with-lock.ts';
import { nameIn } from './servers.ts';
import type { McpApprovalTable } from './tables.ts';

export type ApprovalState = 'waiting' | 'approved' | 'refused';

/** A call that needs a user's approval. */
export interface Approval {
  id: number;
  /** The user who is asked; for team keys, the account of their organisation. */
  userId: number;
  serverId: number;
  server: string;
  tool: string;
  arguments: Record<string, unknown>;
  /** See asker.ts; empty if it is not known. */
  askedBy: string;
  state: ApprovalState;
  createdAt: number;
  expiresAt: number;
}

/** What identifies a call. */
export interface Wanted {
  userId: number;
  serverId: number;
  tool: string;
  askedBy: string;
  /** Of the arguments and of who asks. */
  argumentsHash: string;
}

const fromRow = (row: Selectable<McpApprovalTable> & { server: string }): Approval => ({
  id: row.id,
  userId: row.user_id,
  serverId: row.server_id,
  server: nameIn(row.server),
  tool: row.tool,
  arguments: parseExactly(row.arguments) as Record<string, unknown>,
  askedBy: row.asked_by,
  state: row.state as ApprovalState,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
});

/** True once per approval: deleting the row uses it up, and only that caller makes the call. */
export async function useApproval(db: Db, wanted: Wanted, now: number): Promise<boolean> {
  const used = await db
    .deleteFrom('mcp_approvals')
    .where((e) => e.and(sameCall(wanted)))
    .where('state', '=', 'approved')
    .where('expires_at', '>', now)
    .returning('id')
    .executeTakeFirst();
  return used !== undefined;
}

/** Validity, in seconds since 1970. */
interface Life {
  now: number;
  until: number;
}

/** Inserts the call in this state, unless it is present already; returns the state that is stored. */
export async function putApproval(
  db: Db,
  wanted: Wanted,
  { args, state }: { args: string; state: ApprovalState },
  { now, until }: Life,
): Promise<ApprovalState> {
  const same = sameCall(wanted);
  await db
    .deleteFrom('mcp_approvals')
    .where((e) => e.and(same))
    .where('expires_at', '<=', now)
    .execute();
  await db
    .insertInto('mcp_approvals')
    .values({ ...same, asked_by: wanted.askedBy, arguments: args, state, created_at: now, expires_at: until })
    .onConflict((conflict) => conflict.columns(['user_id', 'server_id', 'tool', 'arguments_hash']).doNothing())
    .execute();
  const row = await db
    .selectFrom('mcp_approvals')
    .select('state')
    .where((e) => e.and(same))
    .executeTakeFirst();
  return (row?.state ?? state) as ApprovalState;
}

/** Asks the user to approve the call; null if the user already has the maximum of open calls. */
export const askAbout = (
  db: Db,
  wanted: Wanted,
  args: string,
  life: Life,
  most: number,
): Promise<ApprovalState | null> =>
  db.transaction().execute(async (tx) => {
    await withLock(tx, 'approvals', wanted.userId);
    if ((await countApprovals(tx, wanted.userId, life.now)) >= most) return null;
    return putApproval(tx, wanted, { args, state: 'waiting' }, life);
  });

const sameCall = (wanted: Wanted) => ({
  user_id: wanted.userId,
  server_id: wanted.serverId,
  tool: wanted.tool,
  arguments_hash: wanted.argumentsHash,
});

const countApprovals = (db: Db, userId: number, now: number): Promise<number> =>
  countRows(db.selectFrom('mcp_approvals').where('user_id', '=', userId).where('expires_at', '>', now));

const shown = (db: Db, now: number) =>
  db
    .selectFrom('mcp_approvals')
    .innerJoin('mcp_servers', 'mcp_servers.id', 'mcp_approvals.server_id')
    .selectAll('mcp_approvals')
    .select('mcp_servers.name as server')
    .where('mcp_approvals.expires_at', '>', now);

export async function listApprovals(
  db: Db,
  userIds: readonly number[],
  now: number,
  most: number,
): Promise<Approval[]> {
  const rows = await shown(db, now)
    .where('mcp_approvals.user_id', 'in', userIds)
    .orderBy('mcp_approvals.id', 'desc')
    .limit(most)
    .execute();
  return rows.map(fromRow);
}

/** Null if none of these users has such a waiting call. */
export async function answerApproval(
  db: Db,
  { id, userIds }: { id: number; userIds: readonly number[] },
  state: ApprovalState,
  { now, until }: Life,
): Promise<Approval | null> {
  const { numUpdatedRows } = await db
    .updateTable('mcp_approvals')
    .set({ state, expires_at: until })
    .where('id', '=', id)
    .where('user_id', 'in', userIds)
    .where('state', '=', 'waiting')
    .where('expires_at', '>', now)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return null;
  const row = await shown(db, now).where('mcp_approvals.id', '=', id).executeTakeFirst();
  return row ? fromRow(row) : null;
}

export const dropExpiredApprovals = (db: Db, now: number): Promise<unknown> =>
  db.deleteFrom('mcp_approvals').where('expires_at', '<=', now).execute();
