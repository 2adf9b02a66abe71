import { type PersonalData, pages } from '../../platform/db/pages.ts';
import type { Db } from '../../platform/db/tables.ts';
import { nameIn } from './servers.ts';

/** Without headers, secrets and tokens: credentials for other services are not personal data. */
export const exportOf = (db: Db, userId: number): PersonalData => ({
  servers: pages<{ id: number }>(async (last, limit) => {
    const rows = await db
      .selectFrom('mcp_servers')
      .select(['id', 'name', 'url', 'header_names', 'client_id', 'enabled', 'created_at', 'updated_at'])
      .where('owner_id', '=', userId)
      .where('id', '>', last?.id ?? 0)
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map((row) => ({ ...row, name: nameIn(row.name) }));
  }),
  approvals: pages<{ id: number }>((last, limit) =>
    db
      .selectFrom('mcp_approvals')
      .select(['id', 'tool', 'arguments', 'asked_by', 'state', 'created_at', 'expires_at'])
      .where('user_id', '=', userId)
      .where('id', '>', last?.id ?? 0)
      .orderBy('id')
      .limit(limit)
      .execute(),
  ),
});

export async function serversOf(db: Db, userId: number): Promise<number[]> {
  const rows = await db.selectFrom('mcp_servers').select('id').where('owner_id', '=', userId).execute();
  return rows.map(({ id }) => id);
}

/** Whoever was asked: what was approved was approved for the server as it was. */
export const dropApprovalsAt = (db: Db, serverId: number): Promise<unknown> =>
  db.deleteFrom('mcp_approvals').where('server_id', '=', serverId).execute();

/** At one server, or at all. */
export const dropApprovalsOf = (db: Db, userId: number, serverId?: number): Promise<unknown> =>
  db
    .deleteFrom('mcp_approvals')
    .where('user_id', '=', userId)
    .$if(serverId !== undefined, (some) => some.where('server_id', '=', serverId!))
    .execute();
