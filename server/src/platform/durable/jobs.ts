/** Durable jobs in a table. A job runs at least once, so handlers must be idempotent. */
export interface Jobs {
  /** Adds a job. With `key`, does nothing and returns null if a job of that queue and key is waiting or running. */
  enqueue(queue: string, data: unknown, options?: EnqueueOptions): Promise<string | null>;
  /** Registers the handler of a queue; call before `start`. */
  work(queue: string, options: WorkOptions, handler: JobHandler): void;
  start(): Promise<void>;
  /** Takes no more jobs, aborts the signals of running handlers after `drainMs`, and gives unfinished jobs back. */
  stop(drainMs: number): Promise<void>;
  /** Number of waiting and running jobs per queue, for the system page and metrics. */
  depth(): Promise<Record<string, number>>;
  /** Dead jobs per queue, which are kept for a while; counted up to a bound. */
  dead(): Promise<DeadJobs[]>;
}

export interface DeadJobs {
  queue: string;
  jobs: number;
  /** When the first of them died. */
  sinceMs: number;
  /** The error of the latest. */
  error: string | null;
}

interface EnqueueOptions {
  delayMs?: number;
  key?: string;
  /** Attempts before the job is dead; default 5. */
  maxAttempts?: number;
  /** Delay before the next attempt after an error, doubled each time; default 1,000. */
  backoffMs?: number;
  /**
   * The request for this work is already stored under a key and will be found again, so report success even if the
   * database became unavailable before the job was added. After an error the client would send it again and pay for
   * both.
   */
  promised?: boolean;
}

export interface WorkOptions {
  /** Jobs of the queue that one process runs concurrently. */
  concurrency: number;
}

export interface Job {
  id: string;
  queue: string;
  data: unknown;
  /** 1 for the first attempt. */
  attempt: number;
  /** Aborted when the process stops, or when its heartbeat failed for so long that another process may have the job. */
  signal: AbortSignal;
}

/**
 * Resolves to end the job, to `{ againInMs }` to run again later (its failures no longer count), or to `{ notYetInMs }`
 * if it could not begin (its failures still count); throws to be retried.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler may simply return
export type Worked = { againInMs: number } | { notYetInMs: number } | void;
/** Throws to be retried. */
export type JobHandler = (job: Job) => Promise<Worked>;
