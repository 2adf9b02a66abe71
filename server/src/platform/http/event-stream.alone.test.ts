import { expect, jest, test } from 'bun:test';
import { holdTime, moment, pass } from '../../lib/held-time.fixture.ts';
import { openEventStream, pingAfterMs } from './event-stream.ts';

holdTime();

const minuteMs = 60_000;
const piece = 'x'.repeat(1_000);
const open = (signal = new AbortController().signal) => openEventStream({ headers: { 'x-request-id': 'r' }, signal });

/** Writes as a producer does that waits when it is told to; tells how much it got rid of until then. */
function produce(write: (bytes: string) => unknown): () => number {
  let written = 0;
  void (async () => {
    for (; written < 10_000; written += 1) await write(piece);
  })();
  return () => written;
}

test('data written before reading starts is not lost, and the response declares its type', async () => {
  const { response, write, end } = open();
  write('data: 1\n\n');
  write(new TextEncoder().encode('data: 2\n\n'));
  end();
  expect(response.headers.get('content-type')).toStartWith('text/event-stream');
  expect(response.headers.get('x-request-id')).toBe('r');
  expect(await response.text()).toBe('data: 1\n\ndata: 2\n\n');
});

test('a reader that does not read makes the producer wait', async () => {
  const { response, write, left } = open();
  const written = produce(write);
  await moment();
  const before = written();
  expect(before).toBeLessThan(100);
  const reader = response.body!.getReader();
  for (let i = 0; i < 200; i += 1) await reader.read();
  await moment();
  expect(written()).toBeGreaterThanOrEqual(200);
  expect(written()).toBeLessThan(200 + 2 * before);
  expect(left.aborted).toBe(false);
  await reader.cancel();
});

test('a reader that reads nothing for minutes is dropped, and a slow one is not', async () => {
  const dead = open();
  const slow = open();
  const written = produce(dead.write);
  produce(slow.write);
  const reader = slow.response.body!.getReader();
  for (let minutes = 0; minutes < 5; minutes += 1) {
    await pass(minuteMs, minuteMs);
    for (let i = 0; i < 100; i += 1) await reader.read();
  }
  expect(dead.left.aborted).toBe(true);
  // Nobody is kept waiting for it.
  expect(written()).toBe(10_000);
  expect(slow.left.aborted).toBe(false);
  await reader.cancel();
});

test.each(['cancels', 'aborts'])('a reader that %s ends everything', async (how) => {
  const call = new AbortController();
  const { response, write, left } = open(call.signal);
  const written = produce(write);
  await moment();
  if (how === 'cancels') await response.body!.cancel();
  else call.abort();
  await moment();
  expect(left.aborted).toBe(true);
  expect(written()).toBe(10_000);
  expect(jest.getTimerCount()).toBe(0);
});

test('a call that was abandoned before leaves nothing in memory', () => {
  const { write, left } = open(AbortSignal.abort());
  expect(left.aborted).toBe(true);
  expect(write(piece.repeat(100))).toBeUndefined();
  expect(jest.getTimerCount()).toBe(0);
});

test('a quiet stream is kept alive by comments, and an ended one is silent', async () => {
  const { response, write, end } = open();
  // Until there is something to say there may be no answer at all.
  expect(jest.getTimerCount()).toBe(0);
  write('data: 1\n\n');
  expect(jest.getTimerCount()).toBe(1);
  await pass(2.5 * pingAfterMs, pingAfterMs / 2);
  write('data: 2\n\n');
  end();
  write('data: 3\n\n');
  end();
  await pass(2 * pingAfterMs, pingAfterMs);
  expect(await response.text()).toBe('data: 1\n\n: ping\n\n: ping\n\ndata: 2\n\n');
  expect(jest.getTimerCount()).toBe(0);
});
