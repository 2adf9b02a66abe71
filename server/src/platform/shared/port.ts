/** State that processes share: in memory for one process, in Redis for several. */
export interface Shared {
  readonly kind: 'memory' | 'redis';
  /**
   * Counts one call, or as much as `by` says, in a fixed window and returns the caller's rate limit state. Counts locally
   * while Redis is unavailable.
   */
  hit(key: string, limit: number, windowMs: number, by?: number): RateState | Promise<RateState>;
  publish(channel: string, message: string): Promise<void>;
  /** Resolves once subscribed. After a lost connection `onGap` is called, since messages may have been missed. */
  subscribe(channel: string, onMessage: (message: string) => void, onGap?: () => void): Promise<() => Promise<void>>;
  get(key: string): Promise<string | null>;
  set(key: string, value: string, ttlMs: number): Promise<void>;
  delete(key: string): Promise<void>;
  /**
   * Adds to a counter that expires `ttlMs` after its first use; returns the new value. Counts locally while Redis is
   * unavailable.
   */
  increment(key: string, by: number, ttlMs: number): Promise<number>;
  /** False while Redis is unreachable; see `cache-sync.ts` for what that means for caches. Memory is always healthy. */
  healthy(): boolean;
  /** Why it is not, in words for an operator; null while it is. */
  fault(): string | null;
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface RateState {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Milliseconds until the next window starts. */
  resetMs: number;
}
