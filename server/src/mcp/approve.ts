import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { allCapabilities } from './client-capabilities.ts';
import { connect } from './connection.ts';
import type { McpContext } from './context.ts';
import type { Definition } from './definition.ts';
import { describeFault, rethrowOwn } from './fault.ts';
import { type Listing, mostTools, withMore } from './listing.ts';
import { getServer, noServer } from './servers.ts';
import type { McpServer } from './store/servers.ts';
import { type AllowedTool, allowedTools, putTool, replaceTools } from './store/tools.ts';
import { holderFor, listingHolder, targetOf } from './target.ts';
import { secretsIn } from './usable-tools.ts';

/** Short, because a user is waiting for the page. */
const patienceMs = 15_000;

export interface ServerListing {
  about: { name: string; version: string; protocol: string };
  listing: Listing;
}

export type ServerTest = { latencyMs: number } & (
  | { ok: true; looked: ServerListing; allowed: AllowedTool[] }
  | { ok: false; error: string }
);

/** Checks whether the server answers with its headers, and what it currently lists. */
export async function testServer(room: McpContext, id: number, by: number, signal: AbortSignal): Promise<ServerTest> {
  const server = await getServer(room, id);
  const startedMs = room.clock.steadyMs();
  const latency = () => room.clock.steadyMs() - startedMs;
  try {
    const looked = await look(room, server, by, signal);
    return { ok: true, latencyMs: latency(), looked, allowed: await allowedTools(room.db, [id]) };
  } catch (error) {
    rethrowOwn(error);
    return { ok: false, latencyMs: latency(), error: tellToAdministrator(room, server, by, error) };
  }
}

/** Lists twice: some tools are listed only to clients with capabilities, and some only to clients without. */
async function look(room: McpContext, server: McpServer, by: number, signal: AbortSignal): Promise<ServerListing> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(Math.min(server.timeoutMs, patienceMs))]);
  const looked = await lookAs(room, server, holderFor(server, by), deadline);
  // There are already more tools than a user can choose from.
  if (looked.listing.cut) return looked;
  const asked = listingHolder(server, by, allCapabilities);
  // If there is no time for the second listing, the first one is enough.
  const more = await lookAs(room, server, asked, deadline).catch(rethrowOwn);
  return more ? { ...looked, listing: withMore(server.name, looked.listing, more.listing) } : looked;
}

/** Uses a new session, so that the listing is current and not a cached one. */
async function lookAs(
  room: McpContext,
  server: McpServer,
  holder: string,
  deadline: AbortSignal,
): Promise<ServerListing> {
  const connection = await connect(targetOf(room, server, holder), deadline);
  try {
    return { about: connection.about, listing: await connection.list(deadline) };
  } finally {
    void connection.close();
  }
}

const tellToAdministrator = (room: McpContext, server: McpServer, by: number, error: unknown): string =>
  describeFault(error, 'administrator', secretsIn(room, server, by));

export interface ToolSelection {
  name: string;
  /** Hash of the definition that was reviewed. */
  definition: string;
  askFirst: boolean;
  /** Unchanged if absent. */
  price?: number | undefined;
}

/**
 * Replaces the allowed tools. Approval is by the definition's hash: if the hash is not stored yet, the server is asked,
 * and its definition must still be the one that was reviewed.
 */
export async function allowTools(
  room: McpContext,
  id: number,
  wanted: readonly ToolSelection[],
  by: number,
  signal: AbortSignal,
): Promise<McpServer> {
  const server = await getServer(room, id);
  const known = new Map((await allowedTools(room.db, [id])).map((tool) => [tool.name, tool]));
  const isKnown = ({ name, definition }: ToolSelection): boolean => known.get(name)?.definition === definition;
  const listed = wanted.every(isKnown) ? new Map<string, Definition>() : await listedNow(room, server, by, signal);
  const now = nowSeconds(room.clock);
  const tools = wanted.map((tool): AllowedTool => {
    const { name, definition, askFirst } = tool;
    const price = tool.price ?? known.get(name)?.price ?? 0;
    if (isKnown(tool)) return { ...known.get(name)!, askFirst, price };
    const { description, inputSchema, further } = approvable(listed, tool);
    return { serverId: id, name, askFirst, description, inputSchema, definition, further, price, approvedAt: now };
  });
  if (!(await replaceTools(room.db, id, tools, now))) throw noServer(id);
  await room.known.changed(id);
  return { ...server, updatedAt: now };
}

/** Approves one tool, new or changed, as the server describes it now; the others stay as they are. */
export async function approveTool(
  room: McpContext,
  id: number,
  { name, definition, askFirst }: Omit<ToolSelection, 'askFirst' | 'price'> & { askFirst?: boolean | undefined },
  by: number,
  signal: AbortSignal,
): Promise<McpServer> {
  const server = await getServer(room, id);
  const allowed = await allowedTools(room.db, [id]);
  const before = allowed.find((tool) => tool.name === name);
  if (!before && allowed.length >= mostTools) throw tooManyTools();
  const now = nowSeconds(room.clock);
  const isKnown = before?.definition === definition;
  const approved = isKnown ? before : approvable(await listedNow(room, server, by, signal), { name, definition });
  const { description, inputSchema, further } = approved;
  const approvedAt = isKnown ? before.approvedAt : now;
  const tool = { serverId: id, name, askFirst, description, inputSchema, definition, further, approvedAt };
  const put = await putTool(room.db, tool, mostTools, now);
  if (put === 'gone') throw noServer(id);
  if (put === 'full') throw tooManyTools();
  await room.known.changed(id);
  return { ...server, updatedAt: now };
}

const tooManyTools = (): AppError =>
  new AppError('conflict', `The server has reached the limit of ${mostTools} allowed tools.`);

async function listedNow(
  room: McpContext,
  server: McpServer,
  by: number,
  signal: AbortSignal,
): Promise<Map<string, Definition>> {
  try {
    const { listing } = await look(room, server, by, signal);
    return new Map(listing.definitions.map((definition) => [definition.name, definition]));
  } catch (error) {
    rethrowOwn(error);
    throw new AppError('provider_error', `The server's list of tools: ${tellToAdministrator(room, server, by, error)}`);
  }
}

function approvable(
  listed: Map<string, Definition>,
  { name, definition }: Pick<ToolSelection, 'name' | 'definition'>,
): Definition {
  const found = listed.get(name);
  if (!found) throw new AppError('invalid_value', `tools: the server lists no tool "${name}"`, { param: 'tools' });
  if (found.problem)
    throw new AppError('invalid_value', `tools: "${name}" cannot be offered, ${found.problem}`, { param: 'tools' });
  if (found.hash !== definition)
    throw new AppError(
      'conflict',
      `tools: the definition of "${name}" has changed since it was read; test the server again`,
      {
        param: 'tools',
      },
    );
  return found;
}
