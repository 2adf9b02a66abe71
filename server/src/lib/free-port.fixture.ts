/** Where systems begin to hand out ports by themselves: one that was free there may be anybody's a moment later. */
const firstHandedOut = 32_768;
const firstTried = 10_000;

/** For a server that is started with its port. Chosen at random, since other test files look for theirs meanwhile. */
export function freePort(): number {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = firstTried + Math.floor(Math.random() * (firstHandedOut - firstTried));
    try {
      Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true);
      return port;
    } catch {
      // Somebody listens there.
    }
  }
  throw new Error(`no free port between ${firstTried} and ${firstHandedOut}`);
}
