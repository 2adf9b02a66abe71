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

interface Counting {
  by: number;
  done: PromiseWithResolvers<Counted>;
}

/** One counter in one message. */
interface Counter {
  key: string;
  ttlMs: number;
  /** In the order in which they were asked for. */
  countings: Counting[];
}

const total = ({ countings }: Counter): number => countings.reduce((sum, { by }) => sum + by, 0);

/** Everyone learns the value after their own count, as if each had been sent alone. */
function resolve({ countings }: Counter, after: number, ttlMs: number): void {
  let value = after;
  for (const { by, done } of countings.toReversed()) {
    done.resolve([value, ttlMs]);
    value -= by;
  }
}

/**
 * Used on every request, so all counts of one turn of the event loop are sent in one message, those of one counter
 * together.
 */
export function redisCounter(commands: RedisConnection): (key: string, by: number, ttlMs: number) => Promise<Counted> {
  let waiting = new Map<string, Counter>();
  const send = async (together: Counter[]): Promise<void> => {
    const keys = together.map(({ key }) => key);
    const args = together.flatMap((counter) => [String(total(counter)), wholeMs(counter.ttlMs)]);
    try {
      const found = (await commands.run((client) => countScript(client, keys, args))) as number[];
      for (const [i, counter] of together.entries()) resolve(counter, found[2 * i]!, found[2 * i + 1]!);
    } catch (error) {
      for (const { countings } of together) for (const { done } of countings) done.reject(error);
    }
  };
  const sendAll = (): void => {
    const all = [...waiting.values()];
    waiting = new Map();
    for (let at = 0; at < all.length; at += mostAtOnce) void send(all.slice(at, at + mostAtOnce));
  };
  return (key, by, ttlMs) => {
    const done = Promise.withResolvers<Counted>();
    if (waiting.size === 0) setImmediate(sendAll);
    const counter = waiting.get(key);
    if (counter) counter.countings.push({ by, done });
    else waiting.set(key, { key, ttlMs, countings: [{ by, done }] });
    return done.promise;
  };
}

/** Redis only accepts whole, positive milliseconds. */
export const wholeMs = (ms: number): string => String(Math.max(1, Math.ceil(ms)));
