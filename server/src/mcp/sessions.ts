import type { CallToolResult } from '@modelcontextprotocol/client';
import type { Clock } from '../lib/clock.ts';
import { ByServer } from './by-server.ts';
import { type Called, type Connection, connect, type Params, within } from './connection.ts';
import { findFault } from './fault.ts';
import type { InitializeInfo } from './initialize-info.ts';
import type { Listing } from './listing.ts';
import type { RequestCallbacks } from './request-callbacks.ts';
import type { McpServer } from './store/servers.ts';
import { keyOf, type TargetDeps, targetOf, userOf } from './target.ts';

/** A session that is idle for this long is ended, because the server keeps state for it. */
const idleMs = 5 * 60_000;
/** Per user in this process. More would only use memory; stored sessions are resumed when they are named again. */
const mostOfUser = 1_024;
/** How often the use of a session is reported at most: often enough to prevent it from being ended as idle. */
const tellMs = 60_000;
/** How long a listing is cached. */
const listingMs = 10_000;
/** Time limit for a listing, even if calls may take longer, because other work waits for it. */
const listPatienceMs = 10_000;

interface Held {
  server: McpServer;
  holder: string;
  /** The address, headers and time limit it was opened with. */
  key: string;
  connection: Promise<Connection>;
  /** The connection once it is open. */
  open: Connection | null;
  users: number;
  lastUsedMs: number;
  /** When its use was last reported to the keeper. */
  toldMs: number;
  listing: { atMs: number; answer: Promise<Listing>; known: Listing | null } | null;
  retired: boolean;
}

/** A stream of events, and its session. */
export interface Listened {
  stream: ReadableStream<Uint8Array>;
  session: string | null;
}

export interface SessionDeps extends TargetDeps {
  clock: Clock;
}

/** How sessions are opened and ended. */
export interface SessionKeeper {
  open(server: McpServer, holder: string): Promise<Connection>;
  /** This process no longer needs the connection. */
  close(connection: Connection): Promise<void>;
  /** Called occasionally while the session is in use. */
  used?(server: McpServer, holder: string): void;
  /** The server has ended the session. */
  ended?(server: McpServer, holder: string): Promise<void>;
}

/** Sessions that end with this process. */
export const ownSessions = (deps: SessionDeps): SessionKeeper => ({
  open: async (server, holder) => connect(targetOf(deps, server, holder), AbortSignal.timeout(server.timeoutMs)),
  close: (connection) => connection.close(),
});

/**
 * This process's connections, one per server and holder, opened on demand; after a change of the server it reconnects.
 */
export class Sessions {
  readonly #held = new ByServer<Held>();

  constructor(
    private readonly deps: SessionDeps,
    private readonly keeper: SessionKeeper = ownSessions(deps),
  ) {}

  /** Whether it is connected with a revision older than the newest. */
  speaksBefore(server: McpServer, holder: string): boolean {
    const held = this.#held.get(server, holder);
    return held?.key === keyOf(server) && held.open !== null && held.open.about.protocol < '2026';
  }

  /** The cached listing, if it is fresh and has arrived. */
  listed(server: McpServer, holder: string): Listing | null {
    const known = this.#held.get(server, holder);
    const fresh = known?.listing && known.key === keyOf(server) && this.#nowMs() - known.listing.atMs < listingMs;
    return fresh ? known.listing!.known : null;
  }

  /** The current or cached listing; concurrent callers share one request. */
  async listing(server: McpServer, holder: string, signal: AbortSignal): Promise<Listing> {
    const known = this.#held.get(server, holder);
    const fresh = known?.listing && known.key === keyOf(server) && this.#nowMs() - known.listing.atMs < listingMs;
    if (fresh) return within(signal, known.listing!.answer);
    const patience = AbortSignal.timeout(Math.min(server.timeoutMs, listPatienceMs));
    const answer = this.#use(server, holder, { signal: patience }, (connection) => connection.list(patience));
    const held = this.#held.get(server, holder)!;
    const listing: NonNullable<Held['listing']> = { atMs: this.#nowMs(), answer, known: null };
    held.listing = listing;
    answer.then(
      (known) => {
        listing.known = known;
      },
      () => {
        if (held.listing === listing) held.listing = null;
      },
    );
    return within(signal, answer);
  }

  call(
    server: McpServer,
    holder: string,
    { tool, args }: { tool: Called; args: Record<string, unknown> },
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    return this.#use(server, holder, { signal }, (connection) => connection.call(tool, args, signal));
  }

  introduction(server: McpServer, holder: string, signal: AbortSignal): Promise<InitializeInfo> {
    return this.#use(server, holder, { signal }, async ({ about, capabilities, instructions }) => ({
      ...{ about, capabilities, instructions },
    }));
  }

  ask(
    server: McpServer,
    holder: string,
    asked: { method: string; params: Params; tool?: Called | undefined },
    passing: RequestCallbacks,
  ): Promise<Params> {
    return this.#use(server, holder, passing, (connection) =>
      connection.ask(asked.method, asked.params, passing, asked.tool),
    );
  }

  /**
   * Sends the client's answer to a server's question, in the session it was asked in; false if that session has ended.
   */
  async tell(
    server: McpServer,
    holder: string,
    message: object,
    session: (id: string | null) => boolean,
  ): Promise<boolean> {
    const signal = AbortSignal.timeout(server.timeoutMs);
    const held = this.#hold(server, holder);
    try {
      return await this.#with(held, { signal }, async (connection) => {
        if (!session(connection.sessionId)) return false;
        await within(signal, connection.tell(message));
        return true;
      });
    } catch (error) {
      if (!findFault(error)?.sessionEnded) throw error;
      await this.#ended(held);
      return false;
    }
  }

  /**
   * Messages that the server sends unprompted; null if it sends none. If the server has ended the session, this throws
   * instead of opening a new one.
   */
  async listen(server: McpServer, holder: string, after: string | null, signal: AbortSignal): Promise<Listened | null> {
    const held = this.#hold(server, holder);
    try {
      return await this.#with(held, { signal }, async (connection) => {
        const stream = await connection.listen(after, signal);
        return stream && { stream, session: connection.sessionId };
      });
    } catch (error) {
      if (findFault(error)?.sessionEnded) await this.#ended(held);
      throw error;
    }
  }

  async #ended(held: Held): Promise<void> {
    this.#retire(held);
    await this.keeper.ended?.(held.server, held.holder);
  }

  /**
   * Retries once, in a new session, but only if the server rejected the request because it no longer knows the session.
   */
  async #use<T>(
    server: McpServer,
    holder: string,
    passing: Pick<RequestCallbacks, 'signal'>,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const first = this.#hold(server, holder);
    first.users += 1;
    try {
      return await work(first.open ?? (await within(passing.signal, first.connection)));
    } catch (error) {
      if (!findFault(error)?.sessionEnded) throw error;
      await this.#ended(first);
      return this.#with(this.#hold(server, holder), passing, work);
    } finally {
      this.#letGo(first);
    }
  }

  async #with<T>(
    held: Held,
    passing: Pick<RequestCallbacks, 'signal'>,
    work: (c: Connection) => Promise<T>,
  ): Promise<T> {
    held.users += 1;
    try {
      return await work(held.open ?? (await within(passing.signal, held.connection)));
    } finally {
      this.#letGo(held);
    }
  }

  #letGo(held: Held): void {
    held.users -= 1;
    held.lastUsedMs = this.#nowMs();
    if (held.lastUsedMs - held.toldMs >= tellMs) this.#tellUsed(held);
    if (held.retired) this.#retire(held);
  }

  #tellUsed(held: Held): void {
    held.toldMs = held.lastUsedMs;
    this.keeper.used?.(held.server, held.holder);
  }

  #hold(server: McpServer, holder: string): Held {
    const key = keyOf(server);
    const known = this.#held.get(server, holder);
    if (known?.key === key) return known;
    if (known) this.#retire(known);
    return this.#begin(server, holder, key);
  }

  #begin(server: McpServer, holder: string, key: string): Held {
    this.#makeRoom(userOf(holder));
    const held: Held = {
      ...{ server, holder, key, users: 0, lastUsedMs: this.#nowMs(), toldMs: -tellMs, listing: null, retired: false },
      open: null,
      connection: this.keeper.open(server, holder),
    };
    this.#held.set(server, holder, held);
    // A failed connection is removed, so that the next call tries again.
    held.connection.then(
      (connection) => {
        held.open = connection;
      },
      () => this.#retire(held),
    );
    return held;
  }

  /** Clients choose their session names, so a user may open any number: evict the one idle for longest. */
  #makeRoom(user: number | null): void {
    if (user === null) return;
    const own = this.#held.all().filter(({ holder }) => userOf(holder) === user);
    if (own.length < mostOfUser) return;
    const resting = own.filter(({ users }) => users === 0).toSorted((a, b) => a.lastUsedMs - b.lastUsedMs);
    if (resting[0]) this.#retire(resting[0]);
  }

  /** Removes it from use; it is closed once its last user is done. */
  #retire(held: Held): void {
    const { server, holder } = held;
    if (this.#held.get(server, holder) === held) this.#held.delete(server, holder);
    held.retired = true;
    if (held.users === 0) void this.#close(held);
  }

  #close = ({ connection }: Held): Promise<void> => connection.then((open) => this.keeper.close(open)).catch(() => {});

  #nowMs = (): number => this.deps.clock.steadyMs();

  /** Drops all connections to a server. */
  forget(id: number): void {
    for (const held of this.#held.all()) if (held.server.id === id) this.#retire(held);
  }

  /** Drops all connections of a holder that has finished. */
  leave(holder: string): void {
    for (const held of this.#held.all()) if (held.holder === holder) this.#retire(held);
  }

  async sweep(): Promise<void> {
    for (const held of this.#held.all())
      if (held.users === 0 && this.#nowMs() - held.lastUsedMs >= idleMs) this.#retire(held);
  }

  async stop(): Promise<void> {
    const all = this.#held.all();
    for (const { server, holder } of all) this.#held.delete(server, holder);
    await Promise.all(all.map(this.#close));
  }
}
