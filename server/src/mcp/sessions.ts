import type { CallToolResult } from '@modelcontextprotocol/client';
import type { Clock } from '../lib/clock.ts';
import type { Sealer } from '../lib/seal.ts';
import { type Called, type Connection, connect, type Target, within } from './connection.ts';
import { faultWithin, McpFault } from './fault.ts';
import type { Listing } from './listing.ts';
import type { McpServer } from './store/servers.ts';

/** A session that nobody used for so long is ended: the server keeps something for each. */
const idleMs = 5 * 60_000;
/** What a server listed counts for so long. */
const listingMs = 10_000;
/** A list waits no longer than this, whatever a call may take: it stands before other work. */
const listPatienceMs = 10_000;

interface Held {
  /** Address, headers and time limit that it was opened with. */
  key: string;
  connection: Promise<Connection>;
  users: number;
  lastUsedMs: number;
  listing: { atMs: number; answer: Promise<Listing> } | null;
  retired: boolean;
}

export interface SessionDeps {
  sealer: Sealer;
  clock: Clock;
  allowPrivate: boolean;
}

/** Who is called, with its headers opened. */
export function targetOf({ sealer, allowPrivate }: SessionDeps, server: McpServer): Target {
  let headers: Record<string, string> = {};
  try {
    if (server.sealedHeaders !== '') headers = JSON.parse(sealer.open(server.sealedHeaders)) as Record<string, string>;
  } catch {
    const words = 'its headers cannot be opened with the present ENCRYPTION_KEY; enter them again';
    throw new McpFault('it is not set up', words);
  }
  return { name: server.name, url: server.url, headers, timeoutMs: server.timeoutMs, allowPrivate };
}

const keyOf = (server: McpServer): string => JSON.stringify([server.url, server.sealedHeaders, server.timeoutMs]);

/** Connections of this process, one a server, opened when they are needed; a server that was changed is connected anew. */
export class Sessions {
  readonly #held = new Map<number, Held>();

  constructor(private readonly deps: SessionDeps) {}

  /** What the server lists, from now or a moment ago; those who ask at once share the answer. */
  async listing(server: McpServer, signal: AbortSignal): Promise<Listing> {
    const known = this.#held.get(server.id);
    const fresh = known?.listing && known.key === keyOf(server) && this.#nowMs() - known.listing.atMs < listingMs;
    if (fresh) return within(signal, known.listing!.answer);
    const patience = AbortSignal.timeout(Math.min(server.timeoutMs, listPatienceMs));
    const answer = this.#use(server, patience, (connection) => connection.list(patience));
    const held = this.#held.get(server.id)!;
    const listing = { atMs: this.#nowMs(), answer };
    held.listing = listing;
    answer.catch(() => {
      if (held.listing === listing) held.listing = null;
    });
    return within(signal, answer);
  }

  call(server: McpServer, tool: Called, args: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult> {
    return this.#use(server, signal, (connection) => connection.call(tool, args, signal));
  }

  /** Only what the server refused because it knows the session no more is asked a second time, in a new one. */
  async #use<T>(server: McpServer, signal: AbortSignal, work: (connection: Connection) => Promise<T>): Promise<T> {
    const first = this.#hold(server);
    try {
      return await this.#with(server.id, first, signal, work);
    } catch (error) {
      if (!faultWithin(error)?.sessionEnded) throw error;
      this.#retire(server.id, first);
      return this.#with(server.id, this.#hold(server), signal, work);
    }
  }

  async #with<T>(id: number, held: Held, signal: AbortSignal, work: (c: Connection) => Promise<T>): Promise<T> {
    held.users += 1;
    try {
      return await work(await within(signal, held.connection));
    } finally {
      held.users -= 1;
      held.lastUsedMs = this.#nowMs();
      if (held.retired) this.#retire(id, held);
    }
  }

  #hold(server: McpServer): Held {
    const key = keyOf(server);
    const known = this.#held.get(server.id);
    if (known?.key === key) return known;
    if (known) this.#retire(server.id, known);
    const held: Held = {
      ...{ key, users: 0, lastUsedMs: this.#nowMs(), listing: null, retired: false },
      connection: this.#open(server),
    };
    this.#held.set(server.id, held);
    // What did not come about is tried anew by the next.
    held.connection.catch(() => this.#retire(server.id, held));
    return held;
  }

  async #open(server: McpServer): Promise<Connection> {
    return connect(targetOf(this.deps, server), AbortSignal.timeout(server.timeoutMs));
  }

  /** Nobody gets it any more; it is closed when the last who has it is done. */
  #retire(id: number, held: Held): void {
    if (this.#held.get(id) === held) this.#held.delete(id);
    held.retired = true;
    if (held.users === 0) void this.#close(held);
  }

  #close = ({ connection }: Held): Promise<void> => connection.then((open) => open.close()).catch(() => {});

  #nowMs = (): number => this.deps.clock.steadyMs();

  /** Of a server that was removed or turned off. */
  forget(id: number): void {
    const held = this.#held.get(id);
    if (held) this.#retire(id, held);
  }

  async sweep(): Promise<void> {
    for (const [id, held] of this.#held)
      if (held.users === 0 && this.#nowMs() - held.lastUsedMs >= idleMs) this.#retire(id, held);
  }

  async stop(): Promise<void> {
    const all = [...this.#held.values()];
    this.#held.clear();
    await Promise.all(all.map(this.#close));
  }
}
