import type { Clock } from '../../lib/clock.ts';
import { memoryShared } from './memory.ts';
import type { Shared } from './port.ts';
import { redisShared } from './redis.ts';

/** Long enough for a Redis that starts along with the service, short enough to report a wrong address soon. */
const firstConnectionMs = 5_000;

/** Redis if its address is given, memory otherwise. Rejects if Redis does not answer at start. */
export async function openShared(config: { redisUrl?: string; prefix?: string }, clock: Clock): Promise<Shared> {
  if (!config.redisUrl) return memoryShared(clock);
  const shared = redisShared(config.redisUrl, config.prefix, clock);
  try {
    await shared.ready(firstConnectionMs);
    return shared;
  } catch (error) {
    await shared.close();
    // Without user and password, because the message ends up on the console.
    const { host } = new URL(config.redisUrl);
    throw new Error(`Redis at ${host} does not respond: ${error instanceof Error ? error.message : error}`);
  }
}
