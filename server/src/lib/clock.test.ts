import { expect, test } from 'bun:test';
import { manualClock } from './clock.ts';

test('repeating timers fire at their times until they are stopped', () => {
  const clock = manualClock(1_000);
  const calls: string[] = [];
  const endFast = clock.every(100, () => calls.push(`fast ${clock.nowMs()}`));
  clock.every(250, () => calls.push(`slow ${clock.nowMs()}`));
  clock.advance(50);
  expect(calls).toEqual([]);
  clock.advance(220);
  expect(calls).toEqual(['fast 1100', 'fast 1200', 'slow 1250']);
  endFast();
  clock.advance(230);
  expect(calls.slice(3)).toEqual(['slow 1500']);
  expect(clock.nowMs()).toBe(1_500);
});

test('advancing by a year fires only the timers at its end', () => {
  const clock = manualClock();
  let calls = 0;
  clock.every(250, () => {
    calls += 1;
  });
  clock.advance(366 * 86_400_000);
  expect(calls).toBe(2_401);
});
