import type { Clock } from '../../lib/clock.ts';
import { memoryShared } from './memory.ts';
import type { Shared } from './port.ts';
import { type RedisDeps, redisShared } from './redis.ts';

/** Long enough for a Redis that starts along with the service, short enough to report a wrong address soon. */
const firstConnectionMs = 5_000;

/** Redis if its address is given, memory otherwise. Rejects if Redis does not answer at start. */
export async function openShared(
  { redisUrl, prefix }: { redisUrl?: string; prefix?: string },
  clock: Clock,
  log?: RedisDeps['log'],
): Promise<Shared> {
  if (!redisUrl) return memoryShared(clock);
  const shared = redisShared({ url: redisUrl, prefix, clock, log });
  try {
    await shared.ready(firstConnectionMs);
    return shared;
  } catch {
    const fault = shared.fault();
    await shared.close();
    throw new Error(fault ?? 'it responds too late');
  }
}
