/**
 * Loaded into the service before it starts: tells how long, at most, its loop was held in one go since it was last asked.
 * In processor time of the one thread, so that other work on the machine, and other threads of the service, do not count.
 */
export {};

const everyMs = 5;
let longestMs = 0;
const spentMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
let last = spentMs();

setInterval(() => {
  const now = spentMs();
  longestMs = Math.max(longestMs, now - last);
  last = now;
}, everyMs).unref();

/** What the same work takes on this thread now: processors have neighbours and grow hot, and no limit holds for all of them. */
const work = `[${'1234567,'.repeat(400_000)}1]`;
function paceMs(): number {
  const before = spentMs();
  for (let i = 0; i < 4; i += 1) JSON.parse(work);
  const took = spentMs() - before;
  last = spentMs();
  return took;
}

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.LOOP_WATCH_PORT),
  fetch: ({ url }) => {
    if (url.endsWith('/pace')) return Response.json(paceMs());
    const answer = Response.json(longestMs);
    longestMs = 0;
    return answer;
  },
});
