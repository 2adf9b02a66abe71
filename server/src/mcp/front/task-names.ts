import { z } from 'zod';
import { sha256Hex } from '../../lib/hashing.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { McpServer } from '../store/servers.ts';
import { longestTaskId } from '../task-answers.ts';
import type { McpCaller } from './caller.ts';

/** What a task is called in front: whose it is, of which tool of which server, and how that server calls it. */
export interface NamedTask {
  server: Pick<McpServer, 'id' | 'name' | 'url'>;
  tool: string;
  /** The server's own name for it. */
  taskId: string;
}

type Owner = { user: Pick<McpCaller['user'], 'id'> } & Pick<McpCaller, 'through'>;

/** Other things are sealed with the same key. */
const kind = 'mcp-task';
/** Of the longest that is given out: a character may take six to be written, and sealing adds a third. */
const longestName = 10 * longestTaskId;

const written = z.tuple([
  z.literal(kind),
  z.object({ user: z.number(), through: z.string() }),
  z.object({ id: z.number(), name: z.string(), at: z.string() }),
  z.string(),
  z.string(),
]);

/** Sealed, so that nothing is kept of a task here: any process opens the name, and nobody else can write one. */
export function nameTask(sealer: Sealer, { user, through }: Owner, { server, tool, taskId }: NamedTask): string {
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
  /** By the name that users know it under. */
  server: string;
  tool: string;
  taskId: string;
  /** It was begun there, at the address that the server still has: another place has tasks of its own. */
  isAt(server: NamedTask['server']): boolean;
}

/** Null for whatever this caller was not given as the name of a task. */
export function openTask(sealer: Sealer, caller: Owner, given: unknown): OpenedTask | null {
  if (typeof given !== 'string' || given.length > longestName) return null;
  const { data } = written.safeParse(unsealed(sealer, given));
  if (!data) return null;
  const [, owner, { id, name, at }, tool, taskId] = data;
  // Keys and applications of one user are told apart, as in all that servers remember.
  if (owner.user !== caller.user.id || owner.through !== caller.through) return null;
  return { server: name, tool, taskId, isAt: (server) => server.id === id && addressMark(server.url) === at };
}

/** Null for what was not sealed here. */
export function unsealed(sealer: Sealer, given: string): unknown {
  try {
    return JSON.parse(sealer.open(given));
  } catch {
    return null;
  }
}

/** Enough to tell one from another. */
export const addressMark = (url: string): string => sha256Hex(url).slice(0, 16);
