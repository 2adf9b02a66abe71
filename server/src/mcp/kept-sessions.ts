import { nowSeconds } from '../lib/clock.ts';
import { sha256Hex } from '../lib/hashing.ts';
import { type Connection, connect, type KeptSession } from './connection.ts';
import type { McpContext } from './context.ts';
import type { SessionKeeper } from './sessions.ts';
import { findServer, type McpServer } from './store/servers.ts';
import * as store from './store/sessions.ts';
import { keyOf, targetOf, userOf } from './target.ts';

type Deps = Omit<McpContext, 'sessions' | 'callers'>;

/** A session that no process has used for this long is ended. */
const idleSeconds = 30 * 60;
/** Sessions ended per sweep; the rest waits for the next one. */
const mostAtOnce = 50;
/** Per user, over all servers: servers keep state for every session, and clients may open any number of them. */
const mostOfUser = 2_048;

/**
 * Sessions of clients that use a server through us. They are stored, because servers keep state for them: after a crash
 * another process resumes them, and any of several processes can serve the client.
 */
export function keptSessions(deps: Deps): SessionKeeper {
  const opened = new Map<number, number>();
  /** Runs once per `mostAtOnce` opened sessions, so users with only a few cause no query. */
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
      // The holders of these sessions are always users.
      void endOldest(userOf(holder)!).catch((error) => deps.log.warn({ error }, 'old sessions could not be ended'));
      return connection;
    },
    close: (connection) => connection.leave(),
    used: ({ id }, holder) => {
      void store
        .touchSession(deps.db, id, holder, nowSeconds(deps.clock))
        .catch((error) => deps.log.warn({ error }, 'the use of a session could not be recorded'));
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
  // Without a session there is nothing to resume.
  if (id === null) return;
  const kept: KeptSession = { id, about, capabilities, instructions, sign };
  await store.storeSession(deps.db, {
    ...{ serverId: server.id, holder, openedWith: openedWith(server) },
    ...{ sealed: deps.sealer.seal(JSON.stringify(kept)), usedAt: nowSeconds(deps.clock) },
  });
}

/** Null if it was sealed with a key that no longer exists; then a new session is opened. */
function unsealed({ sealer }: Deps, { sealed }: store.StoredSession): KeptSession | null {
  try {
    return JSON.parse(sealer.open(sealed)) as KeptSession;
  } catch {
    return null;
  }
}

/** Ends idle sessions at their servers. */
export async function endIdleSessions(deps: Deps): Promise<void> {
  const before = nowSeconds(deps.clock) - idleSeconds;
  await endAll(deps, await store.takeIdleSessions(deps.db, before, mostAtOnce));
}

/** Ends the sessions of a client that has finished. */
export async function endSessionsOf(deps: Deps, holder: string): Promise<void> {
  await endAll(deps, await store.takeSessionsOf(deps.db, holder));
}

/** Ends the sessions of a user who is being removed, while their tokens still work. */
export async function endSessionsOfUser(deps: Deps, of: store.SessionsOf): Promise<void> {
  const next = () => store.takeOldestSessions(deps.db, of, 0, mostAtOnce);
  for (let some = await next(); some.length > 0; some = await next()) await endAll(deps, some);
}

async function endAll(deps: Deps, sessions: readonly store.StoredSession[]): Promise<void> {
  await Promise.all(
    sessions.map(async (session) => {
      const server = await findServer(deps.db, session.serverId);
      const kept = unsealed(deps, session);
      // Do not send a session id to another address, or with other headers, than it was opened with.
      if (!server || !kept || session.openedWith !== openedWith(server)) return;
      // If the server misses this, it expires the session itself.
      const farewell = async () =>
        (await connect(targetOf(deps, server, session.holder, kept.sign), AbortSignal.timeout(5_000), kept)).close();
      await farewell().catch(() => {});
    }),
  );
}
