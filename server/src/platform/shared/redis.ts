import type { RedisClient } from 'bun';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Log } from '../log.ts';
import { memoryShared, rateState } from './memory.ts';
import type { Shared } from './port.ts';
import { redisChannels } from './redis-channels.ts';
import { RedisAway, redisConnection } from './redis-connection.ts';
import { redisCounter, wholeMs } from './redis-counter.ts';
import { findRedisFault, readyCommands } from './redis-fault.ts';

/**
 * Messages buffered while Redis is unavailable; more would be stale, and subscribers are notified of the gap anyway.
 */
const maxOutbox = 1_000;

export interface RedisDeps {
  url: string;
  prefix?: string | undefined;
  clock: Clock;
  log?: Pick<Log, 'warn' | 'info'> | undefined;
}

/** Shared state of several processes. Never waits for an unavailable Redis: see redis-connection.ts. */
export function redisShared({ url, prefix = 'svc:', clock, log }: RedisDeps): RedisShared {
  const local = memoryShared(clock);
  let outbox: { channel: string; message: string }[] = [];

  let told: string | null = null;
  let everUp = false;
  const commands = redisConnection(url, {
    findFault: () => findRedisFault(url, prefix),
    onFault(fault) {
      // The start reports its own failure.
      if (fault === told || !everUp) return;
      told = fault;
      log?.warn({ fault }, 'Redis cannot be used; until it can, each process counts limits by itself');
    },
    async prepare(client) {
      for (const [name, ...words] of readyCommands(prefix)) await client.send(name!, words);
    },
    onReady() {
      everUp = true;
      if (told) log?.info('Redis can be used again');
      told = null;
      const late = outbox;
      outbox = [];
      for (const { channel, message } of late) {
        commands.run((client) => client.publish(channel, message)).catch(() => outbox.push({ channel, message }));
      }
    },
  });
  const channels = redisChannels(url);
  const ask = <T>(command: (client: RedisClient) => Promise<T>): Promise<T> => commands.run(command).catch(refuse);
  const count = redisCounter(commands);

  return {
    kind: 'redis',
    async hit(key, limit, windowMs, by = 1) {
      try {
        const [value, ttlMs] = await count(`${prefix}rate:${key}`, by, windowMs);
        return rateState(value, limit, ttlMs);
      } catch (error) {
        if (!(error instanceof RedisAway)) throw error;
        return local.hit(key, limit, windowMs, by);
      }
    },
    async publish(channel, message) {
      const name = `${prefix}channel:${channel}`;
      try {
        await commands.run((client) => client.publish(name, message));
      } catch (error) {
        if (!(error instanceof RedisAway)) throw error;
        // Delivered here now, and to other processes once Redis is back, when it may arrive here a second time.
        channels.deliver(name, message);
        if (outbox.length < maxOutbox) outbox.push({ channel: name, message });
      }
    },
    subscribe: (channel, onMessage, onGap) =>
      channels.subscribe(`${prefix}channel:${channel}`, { onMessage, ...(onGap && { onGap }) }),
    get: (key) => ask((client) => client.get(`${prefix}kv:${key}`)),
    async set(key, value, ttlMs) {
      await ask((client) => client.send('SET', [`${prefix}kv:${key}`, value, 'PX', wholeMs(ttlMs)]));
    },
    async delete(key) {
      // What was counted here while Redis was away.
      await local.delete(key);
      await ask((client) => client.del(`${prefix}kv:${key}`));
    },
    async increment(key, by, ttlMs) {
      try {
        const [value] = await count(`${prefix}kv:${key}`, by, ttlMs);
        return value;
      } catch (error) {
        if (!(error instanceof RedisAway)) throw error;
        return local.increment(key, by, ttlMs);
      }
    },
    fault() {
      const fault = commands.fault() ?? channels.connection.fault();
      // Without user and password: it is shown and logged.
      return fault && `The server at ${new URL(url).host} ${fault}`;
    },
    healthy: () => commands.up() && channels.connection.up(),
    async ping() {
      await ask((client) => client.send('PING', []));
      await channels.connection.run((client) => client.send('PING', [])).catch(refuse);
    },
    async ready(timeoutMs) {
      await Promise.all([commands.firstUp(timeoutMs), channels.connection.firstUp(timeoutMs)]);
    },
    async close() {
      commands.close();
      channels.connection.close();
      await local.close();
    },
  };
}

interface RedisShared extends Shared {
  readonly kind: 'redis';
  /** Resolves once connected; rejects if that takes longer than `timeoutMs`. */
  ready(timeoutMs: number): Promise<void>;
}

function refuse(error: unknown): never {
  if (error instanceof RedisAway) throw new AppError('unavailable', 'Shared state is unreachable.', {}, error);
  throw error;
}
