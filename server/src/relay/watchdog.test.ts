import { expect, test } from 'bun:test';
import { manualClock } from '../lib/clock.ts';
import { openWatchdog, type Watched } from './watchdog.ts';

function entryAt(lastMs: number, silenceMs: number): Watched & { expiredMs: number[]; ticks: number } {
  return {
    lastMs,
    silenceMs,
    heard: false,
    expiredMs: [],
    ticks: 0,
    expired() {
      this.expiredMs.push(clock.nowMs());
    },
    tick() {
      this.ticks += 1;
    },
  };
}

const clock = manualClock();

/** Lets the watchdog look once, this much later. */
async function look(ms: number): Promise<void> {
  const before = probe.ticks;
  clock.advance(ms);
  while (probe.ticks === before) await Bun.sleep(5);
}
const probe = entryAt(clock.nowMs(), Number.POSITIVE_INFINITY);

test('silence ends what is watched, once, never early, and never while something is heard', async () => {
  const watchdog = openWatchdog(clock);
  const startMs = clock.nowMs();
  const silent = entryAt(startMs, 1_000);
  const lively = entryAt(startMs, 1_000);
  for (const entry of [silent, lively, probe]) watchdog.watch(entry);
  let heardMs = startMs;
  for (let i = 0; i < 4; i += 1) {
    lively.heard = true;
    heardMs = clock.nowMs();
    await look(500);
  }
  expect(silent.expiredMs).toEqual([startMs + 1_500]);
  expect(lively.expiredMs).toEqual([]);
  for (let i = 0; i < 4; i += 1) await look(500);
  expect(silent.expiredMs).toHaveLength(1);
  expect(lively.expiredMs).toEqual([heardMs + 1_500]);
  expect(watchdog.size).toBe(1);
  watchdog.close();
});
