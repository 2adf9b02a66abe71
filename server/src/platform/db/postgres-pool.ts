import { type ReservedSQL, SQL } from 'bun';
import { isReadOnly } from '../durable/errors.ts';
import { deadAfterMs } from '../durable/owners.ts';
import { StalledError, StallWatch } from './stall-watch.ts';

// biome-ignore lint/suspicious/noExplicitAny: rows are whatever the statement selects; Bun types them so as well
type Rows = any;

/** Otherwise a request waits for a dead server as long as the kernel does. */
const connectionSeconds = 5;
/** How long a server may take to accept a connection; a busy one takes milliseconds. */
const probeMs = 4_000;
/** A server may be read-only for a while: do not replace connections more often than this. */
const replaceMs = 1_000;
/** How long queries on replaced connections may take to finish. */
const replacedSeconds = 5;

/**
 * Sent with each transaction, because a pooler in between may reject it as a connection parameter. A process that
 * hangs, or whose machine lost its network, would keep its locked rows locked for as long as its connection seems
 * alive. After this time it is considered dead, and what it held has to be taken over.
 */
const begin = `begin; set local idle_in_transaction_session_timeout = ${deadAfterMs}`;

export interface Transaction {
  unsafe(text: string, values?: unknown[]): Promise<Rows>;
  end(how: 'commit' | 'rollback'): Promise<void>;
}

/** Bun's pool, with a bound on waiting for a server that hangs. */
export class PostgresPool {
  readonly #watch: StallWatch;
  #pool: SQL;
  #replacedMs = Number.NEGATIVE_INFINITY;

  constructor(
    readonly url: string,
    readonly size: number,
  ) {
    this.#pool = this.#connect();
    this.#watch = new StallWatch({
      answers: () => answers(url),
      replaceConnections: () => this.#replace(0),
      failed: (error) => {
        if (isReadOnly(error)) this.#leaveStandby();
      },
    });
  }

  /**
   * Another server may have become the primary, or this one may accept writes again, but only new connections get
   * there. Open connections stay with the old server and its state.
   */
  #leaveStandby(): void {
    if (performance.now() - this.#replacedMs < replaceMs) return;
    this.#replacedMs = performance.now();
    this.#replace(replacedSeconds);
  }

  #replace(timeout: number): void {
    void this.#pool.close({ timeout }).catch(() => {});
    this.#pool = this.#connect();
  }

  #connect(): SQL {
    return new SQL(this.url, { max: this.size, bigint: true, connectionTimeout: connectionSeconds });
  }

  unsafe(text: string, values?: unknown[]): Promise<Rows> {
    return this.#watch.run(() => this.#pool.unsafe(text, values));
  }

  async begin(): Promise<Transaction> {
    const reserved = await this.#watch.run(() => openTransaction(this.#pool), giveBack);
    return {
      unsafe: (text, values) => this.#watch.run(() => reserved.unsafe(text, values)),
      end: (how) => this.#end(reserved, how),
    };
  }

  /**
   * The connection is returned only after its last statement, whatever the outcome: another user must not get an open
   * transaction.
   */
  async #end(reserved: ReservedSQL, how: 'commit' | 'rollback'): Promise<void> {
    if (!this.#watch.stalled) return this.#watch.run(() => endAndRelease(reserved, how));
    this.#watch.leave(giveBack(reserved));
    if (how === 'commit') throw new StalledError(null);
  }

  async close(): Promise<void> {
    this.#watch.stop();
    await this.#pool.close({ timeout: 5 });
  }
}

async function openTransaction(pool: SQL): Promise<ReservedSQL> {
  const reserved = await pool.reserve();
  try {
    await reserved.unsafe(begin);
  } catch (error) {
    reserved.release();
    throw error;
  }
  return reserved;
}

async function endAndRelease(reserved: ReservedSQL, how: 'commit' | 'rollback'): Promise<void> {
  try {
    await reserved.unsafe(how);
  } finally {
    reserved.release();
  }
}

const giveBack = (reserved: ReservedSQL): Promise<void> => endAndRelease(reserved, 'rollback');

/** Uses a new connection, because those of the pool may hang while the server is fine; a rejection is an answer too. */
async function answers(url: string): Promise<boolean> {
  const probe = new SQL(url, { max: 1, connectionTimeout: connectionSeconds });
  const answered = probe.unsafe('select 1').then(
    () => true,
    (error) => error?.code === 'ERR_POSTGRES_SERVER_ERROR',
  );
  // If this process itself was suspended meanwhile, let it read pending data before it decides.
  const waited = Bun.sleep(probeMs).then(() => Bun.sleep(100));
  const result = await Promise.race([answered, waited.then(() => false)]);
  void probe.close({ timeout: 0 }).catch(() => {});
  return result;
}
