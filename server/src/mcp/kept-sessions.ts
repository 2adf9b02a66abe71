import { nowSeconds } from '../lib/clock.ts';
import { sha256Hex } from '../lib/hashing.ts';
import { type Connection, connect, type KeptSession } from './connection.ts';
import type { McpRoom } from './room.ts';
import type { SessionKeeper } from './sessions.ts';
import { findServer, type McpServer } from './store/servers.ts';
import * as store from './store/sessions.ts';
import { keyOf, targetOf, userOf } from './target.ts';

type Deps = Omit<McpRoom, 'sessions' | 'callers'>;

/** A session that no process used for so long is ended. */
const idleSeconds = 30 * 60;
/** Ended by one sweep; the rest waits for the next. */
const mostAtOnce = 50;
/** Of one user, at all servers: each has something to keep for every session, and clients open as many as they like. */
const mostOfUser = 2_048;

/**
 * Sessions of those who use a server through us. What a server remembers of them is theirs: the next process goes on with
 * it when one is killed, and of several, each may be asked.
 */
export function keptSessions(deps: Deps): SessionKeeper {
  const opened = new Map<number, number>();
  /** Once in so many as are ended then: whoever opens a few is never looked for. */
  const endOldest = async (userId: number): Promise<void> => {
    const count = (opened.get(userId) ?? 0) + 1;
    if (opened.size >= 10_000) opened.clear();
    opened.set(userId, count % mostAtOnce);
    if (count < mostAtOnce) return;
    await endAll(deps, await store.takeOldestSessions(deps.db, { userId }, mostOfUser, mostAtOnce));
  };
  return {
    open: async (server, holder) => {
      const signal = AbortSignal.timeout(server.timeoutMs);
      const stored = await store.findSession(deps.db, server.id, holder);
      const kept = stored?.openedWith === openedWith(server) ? unsealed(deps, stored) : null;
      const target = targetOf(deps, server, holder, kept?.sign);
      if (kept) return connect(target, signal, kept);
      const connection = await connect(target, signal);
      await keep(deps, server, holder, connection, (await target.token?.())?.sign);
      // Here everybody is a user.
      void endOldest(userOf(holder)!).catch((error) => deps.log.warn({ error }, 'old sessions could not be ended'));
      return connection;
    },
    close: (connection) => connection.leave(),
    used: ({ id }, holder) => {
      void store
        .touchSession(deps.db, id, holder, nowSeconds(deps.clock))
        .catch((error) => deps.log.warn({ error }, 'the use of a session could not be noted'));
    },
    ended: ({ id }, holder) => store.dropSession(deps.db, id, holder),
  };
}

const openedWith = (server: McpServer): string => sha256Hex(keyOf(server));

async function keep(
  deps: Deps,
  server: McpServer,
  holder: string,
  connection: Connection,
  sign: string | undefined,
): Promise<void> {
  const { sessionId: id, about, capabilities, instructions } = connection;
  // A server without sessions has nothing to go on with.
  if (id === null) return;
  const kept: KeptSession = { id, about, capabilities, instructions, sign };
  await store.storeSession(deps.db, {
    ...{ serverId: server.id, holder, openedWith: openedWith(server) },
    ...{ sealed: deps.sealer.seal(JSON.stringify(kept)), usedAt: nowSeconds(deps.clock) },
  });
}

/** Null for what was sealed with a key that is gone: a session can be begun anew. */
function unsealed({ sealer }: Deps, { sealed }: store.StoredSession): KeptSession | null {
  try {
    return JSON.parse(sealer.open(sealed)) as KeptSession;
  } catch {
    return null;
  }
}

/** Says farewell to servers whose sessions nobody uses any more. */
export async function endIdleSessions(deps: Deps): Promise<void> {
  const before = nowSeconds(deps.clock) - idleSeconds;
  await endAll(deps, await store.takeIdleSessions(deps.db, before, mostAtOnce));
}

/** The same for whoever says that he is done. */
export async function endSessionsOf(deps: Deps, holder: string): Promise<void> {
  await endAll(deps, await store.takeSessionsOf(deps.db, holder));
}

/** And for whoever is gone, while we may still speak in their name. */
export async function endSessionsOfUser(deps: Deps, of: store.SessionsOf): Promise<void> {
  const next = () => store.takeOldestSessions(deps.db, of, 0, mostAtOnce);
  for (let some = await next(); some.length > 0; some = await next()) await endAll(deps, some);
}

async function endAll(deps: Deps, sessions: readonly store.StoredSession[]): Promise<void> {
  await Promise.all(
    sessions.map(async (session) => {
      const server = await findServer(deps.db, session.serverId);
      const kept = unsealed(deps, session);
      // Another address or other headers would not be those the session was opened with.
      if (!server || !kept || session.openedWith !== openedWith(server)) return;
      // A server that does not hear it forgets the session by itself.
      const farewell = async () =>
        (await connect(targetOf(deps, server, session.holder, kept.sign), AbortSignal.timeout(5_000), kept)).close();
      await farewell().catch(() => {});
    }),
  );
}
