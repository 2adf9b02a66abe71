import { RedisClient } from 'bun';

/** A request must not wait for a Redis that does not answer: it falls back or fails instead. */
const commandTimeoutMs = 250;
/** Finds connections that died without a word (a pulled cable, a frozen server) even when nobody sends a command. */
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
  /** Runs one command within the time limit; throws `RedisAway` at once while there is no connection. */
  run<T>(command: (client: RedisClient) => Promise<T>): Promise<T>;
  up(): boolean;
  /** Resolves with the first connection, or rejects when it cannot be made in time. */
  firstUp(timeoutMs: number): Promise<void>;
  close(): void;
}

interface ConnectionSteps {
  /** Done on each new connection before commands are let through. */
  prepare?(client: RedisClient): Promise<void>;
  /** Called once commands are let through, for what was asked for while `prepare` ran. */
  onReady?(): void;
}

/**
 * A connection that heals itself. Bun's own reconnecting is off: it neither tells that a connection was lost nor
 * subscribes again, and both matter here.
 */
export function redisConnection(url: string, steps: ConnectionSteps): RedisConnection {
  let ready: RedisClient | null = null;
  let closed = false;
  let retryMs = firstRetryMs;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let lastFault = 'not connected yet';
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
      retryMs = firstRetryMs;
      for (const wake of waiters) wake();
      steps.onReady?.();
    } catch (error) {
      lastFault = error instanceof Error ? error.message : String(error);
      client.close();
      retry();
    }
  };
  const run = async <T>(command: (client: RedisClient) => Promise<T>): Promise<T> => {
    const client = ready;
    if (!client) throw new RedisAway(lastFault);
    try {
      return await within(command(client), commandTimeoutMs);
    } catch (error) {
      if (isServerAnswer(error)) throw error;
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
    firstUp: (timeoutMs) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new RedisAway(lastFault)), timeoutMs);
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

/** An error that Redis itself answered; the connection is sound. */
const isServerAnswer = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_REDIS_SERVER_ERROR';

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
