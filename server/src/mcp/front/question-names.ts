import { z } from 'zod';
import type { Sealer } from '../../lib/seal.ts';
import type { Question } from '../asked-back.ts';
import type { McpServer } from '../store/servers.ts';
import { addressMark, unsealed } from './task-names.ts';

/** A question as clients are asked it: of which server, in whose session, and how that server calls it. */
interface NamedQuestion {
  server: Pick<McpServer, 'id' | 'name' | 'url'>;
  holder: string;
  asked: Pick<Question, 'id' | 'session'>;
  /** The process that gathers the answer; null where the server is told it at once. */
  collectedAt: string | null;
  /** In milliseconds since 1970; nobody waits for the answer after that. */
  until: number;
}

/** Other things are sealed with the same key. */
const kind = 'mcp-question';
/** No server counts further; what is longer is not an id but something that is to be carried. */
export const longestId = 256;
/** Of the longest that is given out: a character may take six to be written, and sealing adds a third. */
const longestName = 4_096;

const written = z.tuple([
  z.literal(kind),
  z.string(),
  z.object({ id: z.number(), name: z.string(), at: z.string() }),
  z.object({ id: z.union([z.string(), z.number()]), session: z.string(), collectedAt: z.string().nullable() }),
  z.number(),
]);

/** Sealed, so that any process can pass the answer on, and nobody can write one to a question that was not asked. */
export function nameQuestion(sealer: Sealer, given: NamedQuestion): string {
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
  /** By the name that users know it under. */
  server: string;
  id: string | number;
  collectedAt: string | null;
  isAt(server: NamedQuestion['server']): boolean;
  isIn(session: string | null): boolean;
}

/** Null for whatever the client of this session was not asked, or is asked no more. */
export function openQuestion(sealer: Sealer, holder: string, given: unknown, nowMs: number): OpenedQuestion | null {
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
