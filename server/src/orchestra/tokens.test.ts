import { expect, test } from 'bun:test';
import type { ChatMessage } from './messages.ts';
import { messageCounter, tokenCounter } from './tokens.ts';

test('counts text, special tokens included, and long unbroken runs in bounded pieces', async () => {
  const count = await tokenCounter();
  expect(count('')).toBe(0);
  expect(count('hello world, this is me')).toBe(6);
  expect(count('<|endoftext|>')).toBeGreaterThan(1);
  const runs = count('漢字'.repeat(5000));
  expect(runs).toBeGreaterThan(3000);
  expect(runs).toBeLessThan(20_000);
  const sentence = 'The quick brown fox jumps. ';
  expect(count(sentence.repeat(200_000)) / 200_000).toBeCloseTo(count(sentence.repeat(100)) / 100, 1);
});

test('counts a message once', () => {
  let calls = 0;
  const count = messageCounter((text) => {
    calls++;
    return text.length;
  });
  const message: ChatMessage = { role: 'user', content: 'abc' };
  expect(count(message)).toBe(7);
  expect(count(message)).toBe(7);
  expect(calls).toBe(1);
});

test('counts tool calls and parts', () => {
  const count = messageCounter((text) => text.length);
  const call = { id: 'c', type: 'function' as const, function: { name: 'ab', arguments: '{}' } };
  expect(count({ role: 'assistant', content: null, tool_calls: [call] })).toBe(4 + 2 + 2 + 4);
  expect(count({ role: 'user', content: [{ type: 'text', text: 'abc' }, { type: 'image_url' }] })).toBe(4 + 3 + 765);
});
