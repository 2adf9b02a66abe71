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
    'an empty last message, which would leave an answer to be continued',
    [user, { role: 'assistant', content: 'a' }, { role: 'user', content: '' }],
    [
      ['user', 'hi'],
      ['assistant', 'a'],
      ['user', '.'],
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

/** The messages with their blocks, as Claude gets them. */
const claude = (messages: Json[]): unknown => {
  const { system, messages: sent } = sentTo(anthropicKind, messages);
  return [...(system === undefined ? [] : [{ role: 'system', content: system }]), ...(sent as Json[])];
};
const call = (content: string) => ({
  ...{ role: 'assistant', content },
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
});
const called = { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'f', input: {} }] };
const words = (role: string, ...texts: string[]) => ({ role, content: texts.map((text) => ({ type: 'text', text })) });
const result = (...content: Json[]) => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 'c1', content }],
});

// Models of other vendors write line breaks before calls, and tools return nothing but them.
test.each<[string, Json[], Json[]]>([
  [
    'before a call',
    [user, call('\n\n'), { role: 'tool', tool_call_id: 'c1', content: 'x' }],
    [words('user', 'hi'), called, result({ type: 'text', text: 'x' })],
  ],
  [
    'in a result',
    [user, call(''), { role: 'tool', tool_call_id: 'c1', content: ' \n' }],
    [words('user', 'hi'), called, result()],
  ],
  ['in an earlier answer', [user, { role: 'assistant', content: '\n' }, user], [words('user', 'hi', 'hi')]],
  ['of a user', [{ role: 'user', content: ' ' }], [words('user', '.')]],
  [
    'of a user at the end',
    [user, { role: 'assistant', content: 'a' }, { role: 'user', content: '\t' }],
    [words('user', 'hi'), words('assistant', 'a'), words('user', '.')],
  ],
  ['as instructions', [{ role: 'system', content: '\n' }, user], [words('user', 'hi')]],
  [
    'between words, which Claude takes',
    [{ role: 'user', content: ['a', ' ', 'b'].map((text) => ({ type: 'text', text })) }],
    [words('user', 'a', ' ', 'b')],
  ],
])('texts of only whitespace %s', (_, messages, sent) => {
  expect(claude(messages)).toEqual(sent);
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
