import { z } from 'zod';
import { sha256Hex } from '../../lib/hashing.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { Params } from '../connection.ts';
import type { McpServer } from '../store/servers.ts';
import { addressMark, unsealed } from './task-ids.ts';

/** Identifies a waiting call: a client that comes back must have made this same call. */
export interface CallIdentity {
  holder: string;
  server: Pick<McpServer, 'id' | 'url'>;
  /** The tool, or the method and what it is for. */
  what: string;
  /** Hash of the arguments. */
  digest: string;
}

/** Where the call waits, and for which round of answers. */
export interface Place {
  process: string;
  call: string;
  /** Counts how often the client was answered with questions: each round can be resumed once. */
  round: number;
}

/** Distinguishes these from other values sealed with the same key. */
const kind = 'mcp-waiting';
/** Tells our states from those of servers of the newest revision, which are for the server to read. */
const prefix = 'svc-waiting.';
/** Far above the longest that is issued. */
const longestState = 4_096;

const written = z.tuple([
  z.literal(kind),
  z.object({ process: z.string(), call: z.string(), round: z.number() }),
  z.string(),
  z.number(),
]);

export const isResumeState = (given: unknown): given is string => typeof given === 'string' && given.startsWith(prefix);

/** Sealed, so that a client cannot resume another caller's call, or resume with other arguments. */
export const sealResumeState = (sealer: Sealer, called: CallIdentity, place: Place, until: number): string =>
  prefix + sealer.seal(JSON.stringify([kind, place, markOf(called), until] satisfies z.infer<typeof written>));

/** Null unless the client was given this state for this call, and the call still waits. */
export function openResumeState(sealer: Sealer, given: string, called: CallIdentity, nowMs: number): Place | null {
  if (given.length > longestState) return null;
  const { data } = written.safeParse(unsealed(sealer, given.slice(prefix.length)));
  if (!data) return null;
  const [, place, mark, until] = data;
  return mark === markOf(called) && nowMs <= until ? place : null;
}

const markOf = ({ holder, server, what, digest }: CallIdentity): string =>
  sha256Hex(JSON.stringify([holder, server.id, addressMark(server.url), what, digest]));

export const digestOf = ({ arguments: given = {} }: Params): string => sha256Hex(JSON.stringify(given));
