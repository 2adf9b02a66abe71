import { expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { signPayload } from './hashing.ts';

test('signs time and raw body as a receiver would verify it', () => {
  const body = '{"text":"für Elise"}';
  const expected = createHmac('sha256', 'whsec').update(`1700000000.${body}`, 'utf8').digest('hex');
  expect(signPayload('whsec', body, 1_700_000_000)).toBe(`t=1700000000,v1=${expected}`);
});

test('another secret, body or time gives another signature', () => {
  const signatures = [
    signPayload('a', 'x', 1),
    signPayload('b', 'x', 1),
    signPayload('a', 'y', 1),
    signPayload('a', 'x', 2),
    // The dot parts time and body: moving a digit across it must not give the same.
    signPayload('a', '1.x', 1),
  ];
  expect(new Set(signatures.map((one) => one.split('v1=')[1])).size).toBe(5);
});
