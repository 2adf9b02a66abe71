import type { RedisConnection } from './redis-connection.ts';
import { redisScript } from './redis-script.ts';

/**
 * Increments each counter and sets its expiry on first use, in one round trip; a counter without expiry would never
 * end.
 */
const countScript = redisScript(`
local found = {}
for i, key in ipairs(KEYS) do
  local value = redis.call('INCRBY', key, ARGV[2 * i - 1])
  local ttl = redis.call('PTTL', key)
  if ttl < 0 then
    redis.call('PEXPIRE', key, ARGV[2 * i])
    ttl = tonumber(ARGV[2 * i])
  end
  found[2 * i - 1] = value
  found[2 * i] = ttl
end
return found`);

/** Redis does nothing else while it runs a script. */
const mostAtOnce = 200;

type Counted = [value: number, ttlMs: number];

interface Waiting {
  key: string;
  by: number;
  ttlMs: number;
  done: PromiseWithResolvers<Counted>;
}

/** Used on every request, so all counts of one turn of the event loop are sent in one message. */
export function redisCounter(commands: RedisConnection): (key: string, by: number, ttlMs: number) => Promise<Counted> {
  let waiting: Waiting[] = [];
  const send = async (together: Waiting[]): Promise<void> => {
    const keys = together.map(({ key }) => key);
    const args = together.flatMap(({ by, ttlMs }) => [String(by), wholeMs(ttlMs)]);
    try {
      const found = (await commands.run((client) => countScript(client, keys, args))) as number[];
      for (const [i, { done }] of together.entries()) done.resolve([found[2 * i]!, found[2 * i + 1]!]);
    } catch (error) {
      for (const { done } of together) done.reject(error);
    }
  };
  const sendAll = (): void => {
    const all = waiting;
    waiting = [];
    for (let at = 0; at < all.length; at += mostAtOnce) void send(all.slice(at, at + mostAtOnce));
  };
  return (key, by, ttlMs) => {
    const done = Promise.withResolvers<Counted>();
    if (waiting.push({ key, by, ttlMs, done }) === 1) setImmediate(sendAll);
    return done.promise;
  };
}

/** Redis only accepts whole, positive milliseconds. */
export const wholeMs = (ms: number): string => String(Math.max(1, Math.ceil(ms)));
