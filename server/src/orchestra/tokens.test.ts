import { expect, test } from 'bun:test';
import type { ChatMessage } from './messages.ts';
import { countText, weigh } from './tokens.ts';

test('counts text, special tokens included, and long unbroken runs in bounded pieces', async () => {
  expect(await countText('')).toBe(0);
  expect(await countText('hello world, this is me')).toBe(6);
  expect(await countText('<|endoftext|>')).toBeGreaterThan(1);
  const runs = await countText('漢字'.repeat(5000));
  expect(runs).toBeGreaterThan(3000);
  expect(runs).toBeLessThan(20_000);
  const sentence = 'The quick brown fox jumps. ';
  const [many, some] = [await countText(sentence.repeat(200_000)), await countText(sentence.repeat(100))];
  expect(many / 200_000).toBeCloseTo(some / 100, 1);
});

test('weighs messages: role, text, parts and tool calls', async () => {
  const call = { id: 'c', type: 'function' as const, function: { name: 'look', arguments: '{}' } };
  const messages: ChatMessage[] = [
    { role: 'user', content: 'hello world' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'user', content: [{ type: 'text', text: 'hello' }, { type: 'image_url' }] },
    { role: 'assistant', content: null },
  ];
  const [name, given, hello] = [await countText('look'), await countText('{}'), await countText('hello')];
  expect(await weigh(messages)).toEqual([4 + 2, 4 + name + given + 4, 4 + hello + 765, 4]);
});
