import { type RedisConnection, redisConnection } from './redis-connection.ts';

interface Listener {
  onMessage(message: string): void;
  onGap?(): void;
}

interface RedisChannels {
  subscribe(channel: string, listener: Listener): Promise<() => Promise<void>>;
  /** Passes a message to this process's own listeners. */
  deliver(channel: string, message: string): void;
  connection: RedisConnection;
}

/** Subscriptions on a connection of their own, renewed after each reconnect. */
export function redisChannels(url: string): RedisChannels {
  const channels = new Map<string, Set<Listener>>();
  /** What the current connection is subscribed to. */
  let live = new Set<string>();
  let everUp = false;

  const deliver = (channel: string, message: string) => {
    // An exception in one listener must neither affect the others nor break the connection's reader.
    for (const { onMessage } of channels.get(channel) ?? []) queueMicrotask(() => onMessage(message));
  };
  const receive = (message: string, channel: string) => deliver(channel, message);

  const connection = redisConnection(url, {
    async prepare(client) {
      const names = [...channels.keys()];
      if (names.length > 0) await client.subscribe(names, receive);
      live = new Set(names);
    },
    onReady() {
      for (const channel of channels.keys()) void settle(channel);
      if (everUp) for (const listeners of channels.values()) for (const { onGap } of listeners) queueGap(onGap);
      everUp = true;
    },
  });

  // Serialised: an UNSUBSCRIBE answered late would remove a listener added in the meantime.
  let queue: Promise<unknown> = Promise.resolve();
  /**
   * Syncs Redis with the table for one channel. Does nothing while disconnected: `prepare` subscribes from the table.
   */
  const settle = (channel: string) => {
    queue = queue
      .then(async () => {
        const wanted = channels.has(channel);
        if (wanted === live.has(channel)) return;
        if (wanted) {
          await connection.run((client) => client.subscribe(channel, receive));
          live.add(channel);
        } else {
          await connection.run((client) => client.unsubscribe(channel));
          live.delete(channel);
        }
      })
      .catch(() => {});
    return queue;
  };

  return {
    connection,
    deliver,
    async subscribe(channel, listener) {
      const listeners = channels.get(channel) ?? new Set<Listener>();
      channels.set(channel, listeners.add(listener));
      // Waits for a SUBSCRIBE in flight even if this is not the channel's first listener.
      await settle(channel);
      return async () => {
        listeners.delete(listener);
        if (listeners.size > 0 || channels.get(channel) !== listeners) return;
        channels.delete(channel);
        await settle(channel);
      };
    },
  };
}

const queueGap = (onGap: (() => void) | undefined) => {
  if (onGap) queueMicrotask(onGap);
};
