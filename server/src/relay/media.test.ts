import { expect, test } from 'bun:test';
import { mediaOf } from './media.ts';
import { parseChatRequest } from './wire/chat/request.ts';

const data = Buffer.alloc(3_000).toString('base64');
const tokensOf = (part: object): number => {
  const messages = [{ role: 'user', content: [part] }];
  return mediaOf(parseChatRequest({ model: 'm', messages }).turns).tokens;
};
const sound = (format: string) => ({ type: 'input_audio', input_audio: { data, format } });

test('sounds are counted by the rate of their format', () => {
  expect([tokensOf(sound('mp3')), tokensOf(sound('opus'))]).toEqual([8, 30]);
});

test.each(['constructor', 'toString', '__proto__'])('%s is an unknown format like any other', (format) => {
  expect(tokensOf(sound(format))).toBe(30);
  const file = { file_data: `data:audio/${format};base64,${data}`, filename: 'a' };
  expect(tokensOf({ type: 'file', file })).toBe(30);
});
