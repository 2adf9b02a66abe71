/**
 * Preloaded into the service: reports the longest time its event loop was blocked since the last query.
 * In processor time of the main thread, so that other processes and threads do not count.
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

/** How long a fixed piece of work takes now: the speed of a processor varies, so a fixed limit would not work. */
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
