import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import { type Lingering, LingerTimer } from './linger-timer.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const told: string[] = [];
const named = (name: string, lingers = () => {}): Lingering => ({
  place: -1,
  seen: false,
  lingers: () => {
    told.push(name);
    lingers();
  },
});

test('an item that stays is notified once, between one and two times the interval', () => {
  told.length = 0;
  const lingering = new LingerTimer(100);
  lingering.add(named('early'));
  jest.advanceTimersByTime(99);
  lingering.add(named('late'));
  jest.advanceTimersByTime(1);
  expect(told).toEqual([]);
  jest.advanceTimersByTime(100);
  expect(told.toSorted()).toEqual(['early', 'late']);
  jest.advanceTimersByTime(1_000);
  expect(told).toHaveLength(2);
  expect(jest.getTimerCount()).toBe(0);
});

test('a removed item is not notified, even if the callback of another removes it', () => {
  told.length = 0;
  const lingering = new LingerTimer(100);
  const [second, third, gone] = [named('second'), named('third'), named('gone')];
  for (const one of [gone, named('first', () => lingering.remove(second)), second, third]) lingering.add(one);
  lingering.remove(gone);
  lingering.remove(gone);
  jest.advanceTimersByTime(150);
  lingering.add(named('new'));
  jest.advanceTimersByTime(50);
  expect(told).toEqual(['third', 'first']);
});
