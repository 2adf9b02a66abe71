import { expect, test } from 'bun:test';
import { manualClock } from '../lib/clock.ts';
import { openWatchdog, type Watched } from './watchdog.ts';

function entryAt(lastMs: number, silenceMs: number): Watched & { expiredMs: number[]; ticks: number } {
  return {
    lastMs,
    silenceMs,
    heard: false,
    place: -1,
    expiredMs: [],
    ticks: 0,
    expired() {
      this.expiredMs.push(clock.steadyMs());
    },
    tick() {
      this.ticks += 1;
    },
  };
}

const clock = manualClock();

/** How often the watchdog looks. */
const lookMs = 250;

test('silence ends a watched entry once, never early, and never while it is active', () => {
  const watchdog = openWatchdog(clock);
  const startMs = clock.steadyMs();
  const silent = entryAt(startMs, 1_000);
  const lively = entryAt(startMs, 1_000);
  for (const entry of [silent, lively]) watchdog.watch(entry);
  let heardMs = startMs;
  for (let i = 0; i < 8; i += 1) {
    lively.heard = true;
    heardMs = clock.steadyMs();
    clock.advance(lookMs);
  }
  expect(silent.expiredMs).toEqual([startMs + 1_000 + lookMs]);
  expect(lively.expiredMs).toEqual([]);
  clock.advance(8 * lookMs);
  expect(silent.expiredMs).toHaveLength(1);
  expect(lively.expiredMs).toEqual([heardMs + 1_000 + lookMs]);
  expect(watchdog.size).toBe(0);
  watchdog.close();
});

test('entries can be added and removed in any order', () => {
  const watchdog = openWatchdog(clock);
  const entries = Array.from({ length: 20 }, () => entryAt(clock.steadyMs(), Number.POSITIVE_INFINITY));
  for (const entry of entries) watchdog.watch(entry);
  watchdog.watch(entries[3]!);
  expect(watchdog.size).toBe(20);
  for (const gone of [19, 0, 7, 7, 18]) watchdog.forget(entries[gone]!);
  // One that ends others while it is looked at, as a call does that is given up.
  entries[5]!.tick = () => {
    for (const i of [2, 5, 16, 17]) watchdog.forget(entries[i]!);
  };
  clock.advance(lookMs);
  expect(watchdog.size).toBe(12);
  clock.advance(lookMs);
  const left = [1, 3, 4, 6, 8, 9, 10, 11, 12, 13, 14, 15];
  for (const i of left) expect(entries[i]!.ticks).toBeGreaterThanOrEqual(2);
  expect(entries[7]!.ticks).toBe(0);
  watchdog.close();
});

test('clock changes neither end nor extend an entry', () => {
  const watchdog = openWatchdog(clock);
  const entry = entryAt(clock.steadyMs(), 1_000);
  watchdog.watch(entry);
  const startMs = clock.steadyMs();
  clock.jump(90 * 60_000);
  clock.advance(1_000);
  expect(entry.expiredMs).toEqual([]);
  clock.jump(-180 * 60_000);
  clock.advance(lookMs);
  expect(entry.expiredMs).toEqual([startMs + 1_000 + lookMs]);
  watchdog.close();
});
