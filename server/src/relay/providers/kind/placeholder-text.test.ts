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
  ['instructions alone', [{ role: 'system', content: 's' }], [['user', '.']]],
  ['a user who says nothing', [{ role: 'user', content: '' }], [['user', '.']]],
  [
    'an assistant who speaks first',
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
    'an answer that was spoken',
    [user, { role: 'assistant', audio: { id: 'a', transcript: 'said' } }, user],
    [
      ['user', 'hi'],
      ['assistant', 'said'],
      ['user', 'hi'],
    ],
  ],
])('%s: vendors that want users and models in turn get them', (_, messages, turns) => {
  expect(told(messages)).toEqual(both(turns));
});

test('what Claude is to go on with does not end in blanks, which it refuses', () => {
  const messages = [user, { role: 'assistant', content: 'Sure: \n' }];
  expect(told(messages).claude.at(-1)).toEqual(['assistant', 'Sure:']);
});

test.each([
  ['alone', ' \n', [['user', 'hi']]],
  [
    'after words',
    [
      { type: 'text', text: 'Sure: ' },
      { type: 'text', text: ' ' },
    ],
    [
      ['user', 'hi'],
      ['assistant', 'Sure:'],
    ],
  ],
])('blanks %s leave no empty block, which it refuses as well', (_, content, turns) => {
  expect(told([user, { role: 'assistant', content }]).claude).toEqual(turns);
});
