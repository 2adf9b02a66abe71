import { expect, test } from 'bun:test';
import { alignHistory } from './align-history.ts';
import type { ChatMessage } from './messages.ts';

const user = (content: string): ChatMessage => ({ role: 'user', content });
const bot = (content: string): ChatMessage => ({ role: 'assistant', content });
const call = (id: string): ChatMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }],
});
const result = (id: string, content: string): ChatMessage => ({ role: 'tool', tool_call_id: id, content });
const system: ChatMessage = { role: 'system', content: 'Be kind.' };

test('an empty session takes all messages except instructions', () => {
  expect(alignHistory([], [system, user('a'), bot('b'), user('c')])).toEqual({
    keep: 0,
    fresh: [user('a'), bot('b'), user('c')],
  });
});

test('a client that sends the whole history adds only its new message', () => {
  const stored = [user('a'), bot('b')];
  expect(alignHistory(stored, [system, ...stored, user('c')])).toEqual({ keep: 2, fresh: [user('c')] });
});

test('a client that dropped the beginning is aligned at the end', () => {
  const stored = [user('a'), bot('b'), user('c'), bot('d')];
  expect(alignHistory(stored, [user('c'), bot(' d\n'), user('e')])).toEqual({ keep: 4, fresh: [user('e')] });
});

test('a client that sends only new messages may repeat the same text', () => {
  const stored = [user('continue'), bot('one'), user('more'), bot('two')];
  expect(alignHistory(stored, [user('continue')])).toEqual({ keep: 4, fresh: [user('continue')] });
});

test('a turn resent after a failure is not stored again', () => {
  expect(alignHistory([user('a'), bot('b'), user('c')], [user('c')])).toEqual({ keep: 3, fresh: [] });
});

test('regenerating an answer or editing a question rewinds the conversation', () => {
  const stored = [user('a'), bot('b'), user('c'), bot('d')];
  expect(alignHistory(stored, [user('a'), bot('b'), user('c')])).toEqual({ keep: 3, fresh: [] });
  expect(alignHistory(stored, [user('a'), bot('b'), user('C!')])).toEqual({ keep: 2, fresh: [user('C!')] });
});

test('tool calls are distinguished by id, and images by content', () => {
  const call: ChatMessage = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
  };
  const result: ChatMessage = { role: 'tool', content: '1', tool_call_id: 'c1' };
  expect(alignHistory([user('a'), call], [user('a'), call, result])).toEqual({ keep: 2, fresh: [result] });
  const picture = (url: string): ChatMessage => ({
    role: 'user',
    content: [{ type: 'image_url', image_url: { url } }],
  });
  expect(alignHistory([picture('x')], [picture('y')]).fresh).toEqual([picture('y')]);
});

test.each<[string, ChatMessage[], ChatMessage[], number]>([
  [
    'answers that the client keeps in other words replace those that are stored',
    [user('a'), bot('{"n":1}'), user('c'), bot('{"n":2}')],
    [user('a'), bot('{ "n": 1 }'), user('c'), bot('{ "n": 2 }'), user('e')],
    1,
  ],
  [
    'so does one of them, in the middle',
    [user('a'), bot('b'), user('c'), bot('d'), user('e'), bot('f')],
    [user('c'), bot('changed'), user('e'), bot('f'), user('g')],
    3,
  ],
  [
    'an edited question after such an answer rewinds',
    [user('a'), bot('b'), user('c'), bot('d')],
    [user('a'), bot('changed'), user('C!')],
    1,
  ],
  [
    'results of tools that the client has cleared',
    [user('a'), call('c1'), result('c1', 'much'), bot('b')],
    [user('a'), call('c1'), result('c1', '[cleared]'), bot('b'), user('c')],
    2,
  ],
])('%s', (_, stored, sent, keep) => {
  const first = stored.findIndex((one) => one.content === sent[0]!.content);
  const made = alignHistory(stored, sent);
  expect(made).toEqual({ keep, fresh: sent.slice(keep - first) });
  // The next turn adds only what is new.
  const then = [...stored.slice(0, keep), ...made.fresh, bot('x')];
  expect(alignHistory(then, [...sent, bot('x'), user('y')])).toEqual({ keep: then.length, fresh: [user('y')] });
});

test('another conversation, or an answer alone, is not taken for one that is stored', () => {
  const stored = [user('a'), bot('b'), user('c'), bot('d')];
  for (const sent of [
    [user('x'), bot('y'), user('z')],
    [bot('hello'), user('z')],
    [user('x'), bot('y'), user('c'), bot('changed'), user('z')],
  ])
    expect(alignHistory(stored, sent)).toEqual({ keep: 4, fresh: sent });
});

test('a long history of equal questions is aligned in little time', () => {
  const talk = (mark: string) => Array.from({ length: 1000 }, (_, i) => (i % 2 ? bot(`${mark}${i}`) : user('more')));
  const started = performance.now();
  expect(alignHistory(talk('old'), [...talk('new'), user('end')]).keep).toBe(1);
  expect(performance.now() - started).toBeLessThan(2000);
});
