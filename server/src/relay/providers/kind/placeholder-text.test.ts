import { expect, test } from 'bun:test';
import { parseChatRequest } from '../../wire/chat/request.ts';
import type { Json } from '../../wire/conversation.ts';
import { anthropicKind } from '../anthropic.ts';
import { geminiKind } from '../gemini.ts';

const target = { baseUrl: 'http://up', credential: 'c', modelName: 'm-1' };
const user = { role: 'user', content: 'hi' };
const sentTo = (kind: typeof geminiKind, messages: Json[]): Json =>
  JSON.parse(kind.toUpstream(parseChatRequest({ model: 'm', messages }), target).body as string);

/** Who says what, in the words of a vendor. */
const told = (messages: Json[]) => ({
  claude: (sentTo(anthropicKind, messages).messages as { role: string; content: { text: string }[] }[]).map(
    ({ role, content }) => [role, ...content.map(({ text }) => text)],
  ),
  gemini: (sentTo(geminiKind, messages).contents as { role: string; parts: { text: string }[] }[]).map(
    ({ role, parts }) => [role === 'model' ? 'assistant' : role, ...parts.map(({ text }) => text)],
  ),
});
const both = (turns: string[][]) => ({ claude: turns, gemini: turns });

test.each([
  ['only instructions', [{ role: 'system', content: 's' }], [['user', '.']]],
  ['an empty user message', [{ role: 'user', content: '' }], [['user', '.']]],
  [
    'an assistant message first',
    [{ role: 'assistant', content: 'a' }, user],
    [
      ['user', '.'],
      ['assistant', 'a'],
      ['user', 'hi'],
    ],
  ],
  [
    'a refusal',
    [user, { role: 'assistant', content: null, refusal: 'no' }, user],
    [
      ['user', 'hi'],
      ['assistant', 'no'],
      ['user', 'hi'],
    ],
  ],
  [
    'an audio answer',
    [user, { role: 'assistant', audio: { id: 'a', transcript: 'said' } }, user],
    [
      ['user', 'hi'],
      ['assistant', 'said'],
      ['user', 'hi'],
    ],
  ],
])('%s: vendors that require alternating roles get them', (_, messages, turns) => {
  expect(told(messages)).toEqual(both(turns));
});

test('trailing whitespace is removed from a Claude prefill, which Claude would reject', () => {
  const messages = [user, { role: 'assistant', content: 'Sure: \n' }];
  expect(told(messages).claude.at(-1)).toEqual(['assistant', 'Sure:']);
});

test.each([
  ['alone', ' \n', [['user', 'hi']]],
  [
    'after text',
    [
      { type: 'text', text: 'Sure: ' },
      { type: 'text', text: ' ' },
    ],
    [
      ['user', 'hi'],
      ['assistant', 'Sure:'],
    ],
  ],
])('whitespace %s leaves no empty block, which Claude would reject', (_, content, turns) => {
  expect(told([user, { role: 'assistant', content }]).claude).toEqual(turns);
});
