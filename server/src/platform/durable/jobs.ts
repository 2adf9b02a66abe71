/** Durable work in a table. A job runs at least once; handlers make their effects idempotent. */
export interface Jobs {
  /** Adds a job. With `key`, a job of that queue and key that is waiting or running makes this a no-op (returns null). */
  enqueue(queue: string, data: unknown, options?: EnqueueOptions): Promise<string | null>;
  /** Declares who does the work of a queue; call before `start`. */
  work(queue: string, options: WorkOptions, handler: JobHandler): void;
  start(): Promise<void>;
  /** Takes no more work, aborts running handlers' signals after `drainMs`, gives unfinished jobs back. */
  stop(drainMs: number): Promise<void>;
  /** Waiting and running jobs per queue, for the system page and metrics. */
  depth(): Promise<Record<string, number>>;
  /** Jobs that were given up and are kept for a while, per queue; counted up to a bound. */
  dead(): Promise<DeadJobs[]>;
}

export interface DeadJobs {
  queue: string;
  jobs: number;
  /** When the first of them was given up. */
  sinceMs: number;
  /** What the last of them failed by. */
  error: string | null;
}

interface EnqueueOptions {
  delayMs?: number;
  key?: string;
  /** Tries before the job is given up; default 5. */
  maxAttempts?: number;
  /** Wait before the next try after a thrown error, doubled each time; default 1,000. */
  backoffMs?: number;
  /**
   * What asks for the work is written, with a key, and will be found: whoever sent it is told so, though the database went away
   * before the job was added. An error would have them send it again, and pay for both.
   */
  promised?: boolean;
}

export interface WorkOptions {
  /** Jobs of the queue that one process works on at once. */
  concurrency: number;
}

export interface Job {
  id: string;
  queue: string;
  data: unknown;
  /** 1 for the first try. */
  attempt: number;
  /** Aborted when the process stops, or could not say for so long that it lives that others may have the job. */
  signal: AbortSignal;
}

/** Nothing to end the job, or when to be called again (not counted as a failure). */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler may simply return
export type Worked = { againInMs: number } | void;
/** Throws to be retried. */
export type JobHandler = (job: Job) => Promise<Worked>;
