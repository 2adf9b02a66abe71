import { z } from 'zod';
import { sha256Hex } from '../../lib/hashing.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { McpServer } from '../store/servers.ts';
import { longestTaskId } from '../task-answers.ts';
import type { McpCaller } from './caller.ts';

/** A task as named to clients: its owner, server and tool, and the server's own id for it. */
export interface NamedTask {
  server: Pick<McpServer, 'id' | 'name' | 'url'>;
  tool: string;
  /** The server's own id for the task. */
  taskId: string;
}

type Owner = { user: Pick<McpCaller['user'], 'id'> } & Pick<McpCaller, 'through'>;

/** Distinguishes these from other values sealed with the same key. */
const kind = 'mcp-task';
/** Covers the longest name issued: a character may be escaped to six, and sealing adds a third. */
const longestName = 10 * longestTaskId;

const written = z.tuple([
  z.literal(kind),
  z.object({ user: z.number(), through: z.string() }),
  z.object({ id: z.number(), name: z.string(), at: z.string() }),
  z.string(),
  z.string(),
]);

/** Sealed, so that tasks need no storage here: any process can open the name, and clients cannot forge one. */
export function sealTaskId(sealer: Sealer, { user, through }: Owner, { server, tool, taskId }: NamedTask): string {
  const { id, name, url } = server;
  const parts: z.infer<typeof written> = [
    kind,
    { user: user.id, through },
    { id, name, at: addressMark(url) },
    tool,
    taskId,
  ];
  return sealer.seal(JSON.stringify(parts));
}

export interface OpenedTask {
  /** The name that users know the server by. */
  server: string;
  tool: string;
  taskId: string;
  /**
   * Whether this is the server the task was started on, still with the same URL: a server at another URL has other
   * tasks.
   */
  isAt(server: NamedTask['server']): boolean;
}

/** Null unless this caller was given the value as the name of a task. */
export function openTaskId(sealer: Sealer, caller: Owner, given: unknown): OpenedTask | null {
  if (typeof given !== 'string' || given.length > longestName) return null;
  const { data } = written.safeParse(unsealed(sealer, given));
  if (!data) return null;
  const [, owner, { id, name, at }, tool, taskId] = data;
  // Keys and applications of one user are kept apart, as in all state held by servers.
  if (owner.user !== caller.user.id || owner.through !== caller.through) return null;
  return { server: name, tool, taskId, isAt: (server) => server.id === id && addressMark(server.url) === at };
}

/** Null if the value was not sealed by us. */
export function unsealed(sealer: Sealer, given: string): unknown {
  try {
    return JSON.parse(sealer.open(given));
  } catch {
    return null;
  }
}

/** Short hash: enough to tell addresses apart. */
export const addressMark = (url: string): string => sha256Hex(url).slice(0, 16);
