import { expect, test } from 'bun:test';
import { alignHistory } from './align-history.ts';
import type { ChatMessage } from './messages.ts';

const user = (content: string): ChatMessage => ({ role: 'user', content });
const bot = (content: string): ChatMessage => ({ role: 'assistant', content });
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
