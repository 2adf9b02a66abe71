import type { Clock } from '../../lib/clock.ts';
import { memoryShared } from './memory.ts';
import type { Shared } from './port.ts';
import { redisShared } from './redis.ts';

/** Long enough for a Redis that starts beside us, short enough that a wrong address is soon told. */
const firstConnectionMs = 5_000;

/** Redis when its address is given, memory otherwise. Rejects when Redis does not answer at start. */
export async function openShared(config: { redisUrl?: string; prefix?: string }, clock: Clock): Promise<Shared> {
  if (!config.redisUrl) return memoryShared(clock);
  const shared = redisShared(config.redisUrl, config.prefix, clock);
  try {
    await shared.ready(firstConnectionMs);
    return shared;
  } catch (error) {
    await shared.close();
    // The address without user and password: this ends up on the console.
    const { host } = new URL(config.redisUrl);
    throw new Error(`Redis at ${host} does not answer: ${error instanceof Error ? error.message : error}`);
  }
}
