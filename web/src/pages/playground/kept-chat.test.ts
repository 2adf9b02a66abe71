import { expect, test } from 'bun:test';
import { ApiError } from '../../api.ts';
import { type AnswerEntry, type Entry, newAnswer } from './conversation.ts';
import { packed, unpacked } from './kept-chat.ts';

const said: Entry = { id: 'a', role: 'user', content: 'Hi', images: ['data:image/png;base64,AA'] };
const answer: AnswerEntry = { ...newAnswer('b', 'demo/chat', { model: 'demo/chat' }), content: 'Half an' };
const kept = (entries: Entry[]) => unpacked(7, packed(7, entries));

test('a conversation comes back as it was, an answer that was under way as far as it had come', () => {
  expect(kept([said, { ...answer, state: 'done' }])).toEqual([said, { ...answer, state: 'done' }]);
  expect(kept([{ ...answer, state: 'streaming' }])).toEqual([{ ...answer, state: 'stopped' }]);
});

test('errors stay errors, with the id of their request', () => {
  const [back] = kept([{ ...answer, state: 'failed', error: new ApiError(502, 'No answer.', 'req_1') }]) as [
    AnswerEntry,
  ];
  expect(back.error).toBeInstanceOf(ApiError);
  expect(back.error).toMatchObject({ status: 502, message: 'No answer.', requestId: 'req_1' });
});

test('nobody gets what somebody else said, nor what cannot be read', () => {
  expect(unpacked(8, packed(7, [said]))).toEqual([]);
  for (const text of [null, '', 'x', '[]', 'null', '{"userId":7}']) expect(unpacked(7, text)).toEqual([]);
});
