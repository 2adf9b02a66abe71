import { expect, test } from 'bun:test';
import { manualClock } from '../lib/clock.ts';
import { until } from '../lib/until.fixture.ts';
import { memoryShared } from '../platform/shared/memory.ts';
import type { Shared } from '../platform/shared/port.ts';
import { MinuteCount, minuteEndsInMs } from './minute-count.ts';

const minuteMs = 60_000;

test("processes with a shared counter learn each other's count with their next addition", async () => {
  const shared = memoryShared(manualClock());
  const [one, other] = [new MinuteCount('n', shared), new MinuteCount('n', shared)];
  one.add(0, 3);
  other.add(0, 2);
  expect([one.at(0), other.at(0)]).toEqual([3, 2]);
  await until('the other knows', () => other.at(0) === 5);
  one.add(0, 1);
  await until('and the one', () => one.at(0) === 6);
  expect([one.at(minuteMs - 1), one.at(minuteMs)]).toEqual([6, 0]);
  other.add(minuteMs, 1);
  expect(other.at(minuteMs)).toBe(1);
});

test('a result that arrives after its minute does not affect the next minute', async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const slow = { increment: (key: string) => (key.endsWith(':0') ? promise : Promise.resolve(1)) };
  const count = new MinuteCount('n', slow as unknown as Shared);
  count.add(0, 1);
  count.add(minuteMs, 1);
  resolve(100);
  await promise;
  await Bun.sleep(0);
  expect(count.at(minuteMs)).toBe(1);
});

test('without the shared counter each process counts for itself', async () => {
  const away = { increment: () => Promise.reject(new Error('away')) } as unknown as Shared;
  const count = new MinuteCount('n', away);
  count.add(0, 2);
  count.add(0, 2);
  expect(count.at(0)).toBe(4);
  expect([minuteEndsInMs(0), minuteEndsInMs(59_999)]).toEqual([minuteMs, 1]);
});
