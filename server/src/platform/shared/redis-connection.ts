import { RedisClient } from 'bun';

/** A request must not wait for an unresponsive Redis: it falls back or fails instead. */
const commandTimeoutMs = 250;
/** Detects connections that died silently (a pulled cable, a frozen server) even if no command is sent. */
const heartbeatMs = 1_000;
const firstRetryMs = 50;
const maxRetryMs = 1_000;

export class RedisAway extends Error {
  constructor(reason: string) {
    super(`Redis is unreachable: ${reason}`);
    this.name = 'RedisAway';
  }
}

export interface RedisConnection {
  /** Runs one command with a timeout; throws `RedisAway` immediately while there is no connection. */
  run<T>(command: (client: RedisClient) => Promise<T>): Promise<T>;
  up(): boolean;
  /** Why there is no connection; null while there is one. */
  fault(): string | null;
  /** Resolves with the first connection; rejects if there is none in time. */
  firstUp(timeoutMs: number): Promise<void>;
  close(): void;
}

interface ConnectionSteps {
  /** Why no connection can be had, if that can be found out; asked when an attempt has failed. */
  findFault?(): Promise<string | null>;
  /** Called after each failed attempt. */
  onFault?(fault: string): void;
  /** Runs on each new connection before commands are admitted. */
  prepare?(client: RedisClient): Promise<void>;
  /** Called once commands are admitted, to catch up on what was requested while `prepare` ran. */
  onReady?(): void;
}

/**
 * A connection that reconnects by itself. Bun's own reconnecting is off: it neither reports a lost connection nor
 * subscribes again, and we need both.
 */
export function redisConnection(url: string, steps: ConnectionSteps): RedisConnection {
  let ready: RedisClient | null = null;
  let closed = false;
  let retryMs = firstRetryMs;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let lastFault = 'not connected yet';
  /** In better words, where they could be found. */
  let explained: string | null = null;
  let explaining = false;
  const waiters = new Set<() => void>();

  const lose = (client: RedisClient, reason: string) => {
    if (ready !== client) return;
    ready = null;
    lastFault = reason;
    client.close();
    retry();
  };
  const retry = () => {
    if (closed) return;
    clearTimeout(retryTimer);
    retryTimer = setTimeout(attempt, retryMs);
    retryMs = Math.min(retryMs * 2, maxRetryMs);
  };
  /** Beside the attempts, so that it delays none. */
  const explain = async () => {
    if (explaining) return;
    explaining = true;
    const found = await steps.findFault?.().catch(() => null);
    explaining = false;
    if (found) explained = found;
    if (!closed && !ready) steps.onFault?.(fault());
  };
  const fault = () => explained ?? `fails: ${lastFault}`;
  const attempt = async () => {
    const client = new RedisClient(url, {
      autoReconnect: false,
      enableOfflineQueue: false,
      connectionTimeout: maxRetryMs,
    });
    client.onclose = (error) => lose(client, error?.message ?? 'connection closed');
    try {
      await client.connect();
      if (steps.prepare) await within(steps.prepare(client), maxRetryMs);
      if (closed || !client.connected) throw new Error('connection closed');
      ready = client;
      explained = null;
      retryMs = firstRetryMs;
      for (const wake of waiters) wake();
      steps.onReady?.();
    } catch (error) {
      lastFault = error instanceof Error ? error.message : String(error);
      client.close();
      retry();
      void explain();
    }
  };
  const run = async <T>(command: (client: RedisClient) => Promise<T>): Promise<T> => {
    const client = ready;
    if (!client) throw new RedisAway(fault());
    try {
      return await within(command(client), commandTimeoutMs);
    } catch (error) {
      if (isServerAnswer(error) && !isUnusable(error)) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      lose(client, reason);
      throw new RedisAway(reason);
    }
  };
  const heartbeat = setInterval(() => {
    if (ready) run((client) => client.send('PING', [])).catch(() => {});
  }, heartbeatMs);
  heartbeat.unref();
  void attempt();

  return {
    run,
    up: () => ready !== null,
    fault: () => (ready ? null : fault()),
    firstUp: (timeoutMs) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new RedisAway(fault())), timeoutMs);
        const wake = () => {
          clearTimeout(timer);
          waiters.delete(wake);
          resolve();
        };
        if (ready) wake();
        else waiters.add(wake);
      }),
    close() {
      closed = true;
      clearTimeout(retryTimer);
      clearInterval(heartbeat);
      const client = ready;
      ready = null;
      client?.close();
    },
  };
}

/** An error reply from Redis itself; the connection is fine. */
const isServerAnswer = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_REDIS_SERVER_ERROR';

/**
 * The server cannot do this process's work: it became a replica, is full, or withdrew a permission. A new connection
 * may lead to another server.
 */
const isUnusable = (error: unknown): boolean =>
  error instanceof Error && /^(READONLY|LOADING|MASTERDOWN|OOM|MISCONF|NOREPLICAS|NOAUTH)\b/.test(error.message);

async function within<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
