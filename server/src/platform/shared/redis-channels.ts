import type { RedisClient } from 'bun';
import { type RedisConnection, redisConnection } from './redis-connection.ts';

interface Listener {
  onMessage(message: string): void;
  onGap?(): void;
}

export interface RedisChannels {
  subscribe(channel: string, listener: Listener): Promise<() => Promise<void>>;
  /** Hands a message to this process's own listeners. */
  deliver(channel: string, message: string): void;
  connection: RedisConnection;
}

/** Subscriptions on a connection of their own, made again after each reconnect. */
export function redisChannels(url: string): RedisChannels {
  const channels = new Map<string, Set<Listener>>();
  let everUp = false;

  const deliver = (channel: string, message: string) => {
    // One listener's fault must neither reach the others nor break the connection's reader.
    for (const { onMessage } of channels.get(channel) ?? []) queueMicrotask(() => onMessage(message));
  };
  const receive = (message: string, channel: string) => deliver(channel, message);

  const connection = redisConnection(url, async (client: RedisClient) => {
    if (channels.size > 0) await client.subscribe([...channels.keys()], receive);
    const gap = everUp;
    everUp = true;
    if (!gap) return;
    for (const listeners of channels.values()) {
      for (const { onGap } of listeners) if (onGap) queueMicrotask(onGap);
    }
  });

  // One after another: an UNSUBSCRIBE answered late would take away a listener added meanwhile.
  let queue: Promise<unknown> = Promise.resolve();
  const inOrder = (step: () => Promise<unknown>) => {
    // While Redis is away the table alone is changed: the next connection subscribes to what it then holds.
    queue = queue.then(step).catch(() => {});
    return queue;
  };

  return {
    connection,
    deliver,
    async subscribe(channel, listener) {
      const known = channels.get(channel);
      const listeners = known ?? new Set<Listener>();
      listeners.add(listener);
      channels.set(channel, listeners);
      // Waits for a SUBSCRIBE under way even when this is not the channel's first listener.
      await inOrder(async () => {
        if (!known && channels.get(channel) === listeners) await connection.run((c) => c.subscribe(channel, receive));
      });
      return async () => {
        listeners.delete(listener);
        if (listeners.size > 0 || channels.get(channel) !== listeners) return;
        channels.delete(channel);
        await inOrder(async () => {
          if (!channels.has(channel)) await connection.run((c) => c.unsubscribe(channel));
        });
      };
    },
  };
}
