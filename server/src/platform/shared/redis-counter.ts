import type { RedisConnection } from './redis-connection.ts';
import { redisScript } from './redis-script.ts';

/** Adds and gives each counter a life from its first use, in one round trip; a counter without a life would never end. */
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

/** While Redis runs a script it does nothing else. */
const mostAtOnce = 200;

type Counted = [value: number, ttlMs: number];

interface Waiting {
  key: string;
  by: number;
  ttlMs: number;
  done: PromiseWithResolvers<Counted>;
}

/** Counts for every request: what one turn of the event loop brings goes in one message, since each message has its price. */
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

/** Redis takes whole, positive milliseconds only. */
export const wholeMs = (ms: number): string => String(Math.max(1, Math.ceil(ms)));
