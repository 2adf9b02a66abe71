import type { RedisClient } from 'bun';

/** A Lua script, sent by its hash and in full only when Redis does not know it (first use, or after its restart). */
export function redisScript(source: string): (client: RedisClient, key: string, ...args: string[]) => Promise<unknown> {
  const hash = new Bun.CryptoHasher('sha1').update(source).digest('hex');
  return async (client, key, ...args) => {
    try {
      return await client.send('EVALSHA', [hash, '1', key, ...args]);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return client.send('EVAL', [source, '1', key, ...args]);
    }
  };
}

/** Adds and gives the counter a life from its first use, in one round trip; a counter without a life would never end. */
export const countScript = redisScript(`
local value = redis.call('INCRBY', KEYS[1], ARGV[1])
local ttl = redis.call('PTTL', KEYS[1])
if ttl < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  ttl = tonumber(ARGV[2])
end
return {value, ttl}`);
