import { expect, spyOn, test } from 'bun:test';
import { ChargePace, mostPerBatch } from './charge-pace.ts';

test('a charge alone is written at once', () => {
  for (const synchronous of [true, false]) expect(new ChargePace(synchronous).pause(1, 0)).toBeUndefined();
});

test('a synchronous batch waits for one turn of the event loop while more requests are running', async () => {
  const pace = new ChargePace(true);
  const turn = pace.pause(1, 1000);
  expect(turn).toBeInstanceOf(Promise);
  await turn;
  // Whether or not it brought more charges: those of slow requests would be waited for again and again.
  expect(pace.pause(1, 1000)).toBeUndefined();
  pace.started(1);
  expect(pace.pause(1, 1000)).toBeInstanceOf(Promise);
});

test('a batch that most running requests have joined, or that is full, is written at once', () => {
  const pace = new ChargePace(true);
  expect(pace.pause(70, 30)).toBeUndefined();
  expect(pace.pause(mostPerBatch, 10_000)).toBeUndefined();
});

test('a batch that took time to write is followed by a pause, once', async () => {
  const now = spyOn(performance, 'now').mockReturnValue(1_000);
  const pace = new ChargePace(false);
  expect(pace.pause(1, 10)).toBeUndefined();
  pace.started(1);
  now.mockReturnValue(1_004);
  pace.ended();
  const rest = pace.pause(1, 10);
  expect(rest).toBeInstanceOf(Promise);
  await rest;
  now.mockReturnValue(1_010);
  expect(pace.pause(1, 10)).toBeUndefined();
  now.mockRestore();
});
