/** What the runner asks of a database; a job is held by whoever has its token. */
export interface JobStore {
  /** Null when a living job of that queue has the same key. */
  add(job: NewJob): Promise<string | null>;
  /** Takes jobs whose lease ran out from their holders, then names the queues that have something to do now. */
  due(): Promise<string[]>;
  claim(queue: string, limit: number, leaseMs: number): Promise<Claim[]>;
  /** False when the job is no longer held by this claim. */
  extend(claim: Claim, leaseMs: number): Promise<boolean>;
  finish(claim: Claim): Promise<void>;
  /** To be called again later, with its attempts counted anew. */
  again(claim: Claim, delayMs: number): Promise<void>;
  /** Records a failure; `retryInMs` null makes the job dead. */
  fail(claim: Claim, error: string, retryInMs: number | null): Promise<void>;
  /** Undoes the claim, so that another may take the job at once. */
  giveBack(claim: Claim): Promise<void>;
  depth(): Promise<Record<string, number>>;
  /** Removes jobs dead for `deadForMs`. */
  sweep(deadForMs: number): Promise<void>;
}

export interface NewJob {
  queue: string;
  data: unknown;
  delayMs: number;
  key: string | null;
  maxAttempts: number;
  backoffMs: number;
}

export interface Claim {
  id: string;
  queue: string;
  data: unknown;
  /** 1 for the first try. */
  attempt: number;
  maxAttempts: number;
  backoffMs: number;
  token: string;
}

export interface JobsLog {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}
