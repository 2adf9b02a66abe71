import type { RedisClient } from 'bun';

/** A Lua script, sent by its hash, and in full only if Redis does not know it (first use, or after a restart). */
export function redisScript(source: string): (client: RedisClient, keys: string[], args: string[]) => Promise<unknown> {
  const hash = new Bun.CryptoHasher('sha1').update(source).digest('hex');
  return async (client, keys, args) => {
    const given = [String(keys.length), ...keys, ...args];
    try {
      return await client.send('EVALSHA', [hash, ...given]);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return client.send('EVAL', [source, ...given]);
    }
  };
}
