import { z } from 'zod';
import { sha256Hex } from '../../lib/hashing.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { Params } from '../connection.ts';
import type { McpServer } from '../store/servers.ts';
import { addressMark, unsealed } from './task-names.ts';

/** What waits for answers, as far as the client that comes back with them must have made it. */
export interface Called {
  holder: string;
  server: Pick<McpServer, 'id' | 'url'>;
  /** The tool, or what else is asked for. */
  what: string;
  /** Of its arguments. */
  digest: string;
}

/** Where it waits, and for which answers. */
export interface Place {
  process: string;
  call: string;
  /** Counts the times that the client was answered with questions: each is come back to once. */
  round: number;
}

/** Other things are sealed with the same key. */
const kind = 'mcp-waiting';
/** Servers of the newest revision write such texts as well, which are theirs to read. */
const prefix = 'svc-waiting.';
/** Far above the longest that is given out. */
const longestState = 4_096;

const written = z.tuple([
  z.literal(kind),
  z.object({ process: z.string(), call: z.string(), round: z.number() }),
  z.string(),
  z.number(),
]);

export const isWaitingState = (given: unknown): given is string =>
  typeof given === 'string' && given.startsWith(prefix);

/** Sealed, so that nobody comes back to a call that is not theirs, or with other arguments. */
export const nameWaiting = (sealer: Sealer, called: Called, place: Place, until: number): string =>
  prefix + sealer.seal(JSON.stringify([kind, place, markOf(called), until] satisfies z.infer<typeof written>));

/** Null for whatever the client was not given for this call, and for what nobody waits for any more. */
export function openWaiting(sealer: Sealer, given: string, called: Called, nowMs: number): Place | null {
  if (given.length > longestState) return null;
  const { data } = written.safeParse(unsealed(sealer, given.slice(prefix.length)));
  if (!data) return null;
  const [, place, mark, until] = data;
  return mark === markOf(called) && nowMs <= until ? place : null;
}

const markOf = ({ holder, server, what, digest }: Called): string =>
  sha256Hex(JSON.stringify([holder, server.id, addressMark(server.url), what, digest]));

export const digestOf = ({ arguments: given = {} }: Params): string => sha256Hex(JSON.stringify(given));
