import type { Throughput } from './load.ts';
import { cpuSeconds } from './process.ts';

/** Processes every item once, `width` at a time, and measures the cost for the process `pid`. */
export async function each<T>(
  items: T[],
  width: number,
  pid: number,
  work: (item: T) => Promise<boolean>,
): Promise<Throughput> {
  let next = 0;
  let failures = 0;
  const before = cpuSeconds(pid);
  const started = performance.now();
  const lane = async () => {
    while (next < items.length) {
      const item = items[next]!;
      next += 1;
      if (!(await work(item))) failures += 1;
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  const seconds = (performance.now() - started) / 1000;
  return {
    requestsPerSecond: items.length / seconds,
    cpuMicrosPerRequest: ((cpuSeconds(pid) - before) * 1e6) / items.length,
    failures,
  };
}
