import type { Selectable } from 'kysely';
import { countRows } from '../../platform/db/list-page.ts';
import type { Db } from '../../platform/db/tables.ts';
import { touchServer } from './servers.ts';
import type { McpToolTable } from './tables.ts';

/** A tool that the operator allowed, with the definition that was reviewed. */
export interface AllowedTool {
  serverId: number;
  name: string;
  askFirst: boolean;
  description: string;
  inputSchema: Record<string, unknown>;
  definition: string;
  /** Null if it was approved when only description and schema were read. */
  further: Further | null;
  /** Per call, in quota units. */
  price: number;
  approvedAt: number;
}

/** Further metadata of a tool for clients. */
export interface Further {
  title?: string | undefined;
  outputSchema?: Record<string, unknown> | undefined;
  annotations?: Record<string, unknown> | undefined;
  /** Only of the UI extension. */
  _meta?: Record<string, unknown> | undefined;
}

const fromRow = (row: Selectable<McpToolTable>): AllowedTool => ({
  serverId: row.server_id,
  name: row.name,
  askFirst: row.ask_first === 1,
  description: row.description,
  inputSchema: JSON.parse(row.input_schema) as Record<string, unknown>,
  definition: row.definition,
  further: row.further === '' ? null : (JSON.parse(row.further) as Further),
  price: row.price,
  approvedAt: row.approved_at,
});

const toRow = (tool: AllowedTool) => ({
  server_id: tool.serverId,
  name: tool.name,
  ask_first: tool.askFirst ? 1 : 0,
  description: tool.description,
  input_schema: JSON.stringify(tool.inputSchema),
  definition: tool.definition,
  further: tool.further === null ? '' : JSON.stringify(tool.further),
  price: tool.price,
  approved_at: tool.approvedAt,
});

export async function allowedTools(db: Db, serverIds: readonly number[]): Promise<AllowedTool[]> {
  if (serverIds.length === 0) return [];
  const rows = await db
    .selectFrom('mcp_tools')
    .selectAll()
    .where('server_id', 'in', serverIds)
    .orderBy('server_id')
    .orderBy('name')
    .execute();
  return rows.map(fromRow);
}

/** By the server's own name for the tool. */
export async function allowedTool(db: Db, serverId: number, name: string): Promise<AllowedTool | undefined> {
  // PostgreSQL text cannot contain this character; the query would fail.
  if (name.includes('\0')) return undefined;
  const row = await db
    .selectFrom('mcp_tools')
    .selectAll()
    .where('server_id', '=', serverId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row && fromRow(row);
}

/** Replaces all allowed tools; false if the server was deleted. */
export const replaceTools = async (
  db: Db,
  serverId: number,
  tools: readonly AllowedTool[],
  now: number,
): Promise<boolean> => {
  const done = await whileHeld(db, serverId, now, async (tx) => {
    await tx.deleteFrom('mcp_tools').where('server_id', '=', serverId).execute();
    if (tools.length > 0) await tx.insertInto('mcp_tools').values(tools.map(toRow)).execute();
    return 'done';
  });
  return done === 'done';
};

/**
 * Allows one tool and keeps its price; if `askFirst` is undefined, that is kept too. The others stay. 'gone' if the
 * server was deleted, 'full' if it has as many tools without this one.
 */
export const putTool = (
  db: Db,
  { askFirst, ...tool }: Omit<AllowedTool, 'askFirst' | 'price'> & { askFirst: boolean | undefined },
  most: number,
  now: number,
): Promise<'done' | 'full' | 'gone'> =>
  whileHeld(db, tool.serverId, now, async (tx) => {
    const ofServer = tx.selectFrom('mcp_tools').where('server_id', '=', tool.serverId).where('name', '<>', tool.name);
    if ((await countRows(ofServer)) >= most) return 'full';
    const before = await tx
      .deleteFrom('mcp_tools')
      .where('server_id', '=', tool.serverId)
      .where('name', '=', tool.name)
      .returning(['ask_first', 'price'])
      .executeTakeFirst();
    const row = toRow({ ...tool, askFirst: askFirst ?? before?.ask_first === 1, price: before?.price ?? 0 });
    await tx.insertInto('mcp_tools').values(row).execute();
    return 'done';
  });

/** Locks the server's row, so that it is not deleted meanwhile and concurrent changes do not mix. */
function whileHeld<T>(db: Db, serverId: number, now: number, work: (tx: Db) => Promise<T>): Promise<T | 'gone'> {
  return db.transaction().execute(async (tx) => {
    await touchServer(tx, serverId, now);
    const server = await tx.selectFrom('mcp_servers').select('id').where('id', '=', serverId).executeTakeFirst();
    return server ? work(tx) : 'gone';
  });
}
