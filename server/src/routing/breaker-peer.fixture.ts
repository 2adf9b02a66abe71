import { systemClock } from '../lib/clock.ts';
import { openShared } from '../platform/shared/open.ts';
import { openBreaker } from './breaker.ts';

/**
 * Runs as a separate process in tests: `bun breaker-peer.fixture.ts <redis> <key>` opens the circuit, then prints each
 * change.
 */
const [redisUrl, key] = process.argv.slice(2) as [string, string];
const shared = await openShared({ redisUrl, prefix: 'breaker-test:' }, systemClock);
const breaker = await openBreaker({
  clock: systemClock,
  shared,
  onTransition: (changed, state) => console.log(`${changed} ${state}`),
});
for (let i = 0; i < 5; i++) breaker.tryAcquire(key)!.failure();
// Exits when its standard input closes, so that it never outlives the test.
for await (const _ of Bun.stdin.stream());
await breaker.close();
await shared.close();
