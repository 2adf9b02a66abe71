import { z } from 'zod';
import type { Sealer } from '../../lib/seal.ts';
import type { Question } from '../server-questions.ts';
import type { McpServer } from '../store/servers.ts';
import { addressMark, unsealed } from './task-ids.ts';

/** A question as sent to clients: which server asked it, in whose session, and the server's own id for it. */
interface NamedQuestion {
  server: Pick<McpServer, 'id' | 'name' | 'url'>;
  holder: string;
  asked: Pick<Question, 'id' | 'session'>;
  /** The process that collects the answer; null if the answer goes straight to the server. */
  collectedAt: string | null;
  /** Unix time in milliseconds after which the answer is no longer awaited. */
  until: number;
}

/** Distinguishes these from other values sealed with the same key. */
const kind = 'mcp-question';
/** Servers' ids are far shorter; anything longer is not an id but a way to store data with us. */
export const longestId = 256;
/** Covers the longest name issued: a character may be escaped to six, and sealing adds a third. */
const longestName = 4_096;

const written = z.tuple([
  z.literal(kind),
  z.string(),
  z.object({ id: z.number(), name: z.string(), at: z.string() }),
  z.object({ id: z.union([z.string(), z.number()]), session: z.string(), collectedAt: z.string().nullable() }),
  z.number(),
]);

/** Sealed, so that any process can forward the answer, and clients cannot forge a question that was not asked. */
export function sealQuestionId(sealer: Sealer, given: NamedQuestion): string {
  const { server, holder, asked, collectedAt, until } = given;
  const parts: z.infer<typeof written> = [
    kind,
    holder,
    { id: server.id, name: server.name, at: addressMark(server.url) },
    { id: asked.id, session: sessionMark(asked.session), collectedAt },
    until,
  ];
  return sealer.seal(JSON.stringify(parts));
}

export interface OpenedQuestion {
  /** The name that users know the server by. */
  server: string;
  id: string | number;
  collectedAt: string | null;
  isAt(server: NamedQuestion['server']): boolean;
  isIn(session: string | null): boolean;
}

/** Null if this question was not put to the client of this session, or has expired. */
export function openQuestionId(sealer: Sealer, holder: string, given: unknown, nowMs: number): OpenedQuestion | null {
  if (typeof given !== 'string' || given.length > longestName) return null;
  const { data } = written.safeParse(unsealed(sealer, given));
  if (!data) return null;
  const [, of, { id: serverId, name, at }, { id, session, collectedAt }, until] = data;
  if (of !== holder || nowMs > until) return null;
  return {
    ...{ server: name, id, collectedAt },
    isAt: (server) => server.id === serverId && addressMark(server.url) === at,
    isIn: (one) => sessionMark(one) === session,
  };
}

const sessionMark = (session: string | null): string => (session === null ? '' : addressMark(session));
