/**
 * Loaded into the service before it starts: tells how long, at most, its loop was held in one go since it was last asked.
 * In processor time of the one thread, so that other work on the machine, and other threads of the service, do not count.
 */
export {};

const everyMs = 5;
let longestMs = 0;
let last = process.threadCpuUsage();

setInterval(() => {
  const now = process.threadCpuUsage();
  longestMs = Math.max(longestMs, (now.user + now.system - last.user - last.system) / 1_000);
  last = now;
}, everyMs).unref();

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.LOOP_WATCH_PORT),
  fetch: () => {
    const answer = Response.json(longestMs);
    longestMs = 0;
    return answer;
  },
});
