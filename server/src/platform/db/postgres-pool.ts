import { type ReservedSQL, SQL } from 'bun';
import { isReadOnly } from '../durable/errors.ts';
import { deadAfterMs } from '../durable/owners.ts';
import { StalledError, StallWatch } from './stall-watch.ts';

// biome-ignore lint/suspicious/noExplicitAny: rows are whatever the statement selects; Bun types them so as well
type Rows = any;

/** Without it a request waits for a dead server as long as the kernel does. */
const connectionSeconds = 5;
/** How long a server has to let somebody in; a busy one takes milliseconds. */
const probeMs = 4_000;
/** A server may take no writes for a while: connections are not replaced more often than this. */
const replaceMs = 1_000;
/** What those on connections that are replaced get to come to their end. */
const replacedSeconds = 5;

/**
 * Said with each transaction, since a pooler in between may refuse it of a connection. A process that stands still, or whose
 * machine has left the network, would keep the rows that it has locked from everybody for as long as its connection seems to live;
 * by then it is taken for dead, and what it held is to be taken over.
 */
const begin = `begin; set local idle_in_transaction_session_timeout = ${deadAfterMs}`;

export interface Transaction {
  unsafe(text: string, values?: unknown[]): Promise<Rows>;
  end(how: 'commit' | 'rollback'): Promise<void>;
}

/** Bun's pool, with an end to the waiting when the server stands still. */
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
   * Another server may have become the one that takes writes, or this one may take them again: only who comes anew is led there.
   * Connections that are open stay where they are, and as they were when they were opened.
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

  /** However it ends, the connection goes back only after its last statement: what is open in it must not become another's. */
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

/** A connection of its own, because those of the pool may hang while the server is well; a refusal is an answer too. */
async function answers(url: string): Promise<boolean> {
  const probe = new SQL(url, { max: 1, connectionTimeout: connectionSeconds });
  const answered = probe.unsafe('select 1').then(
    () => true,
    (error) => error?.code === 'ERR_POSTGRES_SERVER_ERROR',
  );
  // A process that itself stood still meanwhile reads what has come before it judges.
  const waited = Bun.sleep(probeMs).then(() => Bun.sleep(100));
  const result = await Promise.race([answered, waited.then(() => false)]);
  void probe.close({ timeout: 0 }).catch(() => {});
  return result;
}
