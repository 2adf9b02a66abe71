import { expect, test } from 'bun:test';
import { ApiError } from '../../api.ts';
import { type ChatState, fitting, packed, unpacked } from './chat-content.ts';
import { type AnswerEntry, type Column, type Entry, newAnswer } from './conversation.ts';
import { forColumn, withoutAnswer, withoutColumn } from './edit-entries.ts';
import { defaultSettings, requestOf } from './settings.ts';
import { parseChats, serializeChats } from './stored-chats.ts';

const columns: Column[] = [
  { id: 'c1', model: 'demo/chat' },
  { id: 'c2', model: 'demo/chat-large' },
];
const said = (id: string, images: string[] = []): Entry => ({ id, role: 'user', content: `${id}?`, images });
const answer = (id: string, column: Column, history: Entry[], more: Partial<AnswerEntry> = {}): AnswerEntry => ({
  ...newAnswer(id, column, requestOf(column.model, history, { ...defaultSettings, system: 'Be brief.' })),
  content: `${id}!`,
  state: 'done',
  ...more,
});
const u1 = said('u1', ['data:image/png;base64,AA']);
const a1 = answer('a1', columns[0]!, [u1]);
const b1 = answer('b1', columns[1]!, [u1]);
const u2 = said('u2');
const a2 = answer('a2', columns[0]!, [u1, a1, u2]);
const b2 = answer('b2', columns[1]!, [u1, b1, u2]);
const settings = { ...defaultSettings, temperature: 0.5 };
const state: ChatState = { columns, settings, entries: [u1, a1, b1, u2, a2, b2] };
const back = (entries: Entry[]) => unpacked(JSON.parse(JSON.stringify(packed({ ...state, entries })))).entries;

test('a saved chat is restored unchanged, with the request of each answer', () => {
  const kept = packed(state);
  expect(JSON.stringify(kept.entries.at(-1))).not.toContain('messages');
  expect(unpacked(JSON.parse(JSON.stringify(kept)))).toEqual(JSON.parse(JSON.stringify(state)));
});

test('a running answer is restored as stopped with its text, an error as an error', () => {
  expect(back([u1, { ...a1, state: 'streaming' }])[1]).toMatchObject({ content: 'a1!', state: 'stopped' });
  const [, failed] = back([u1, { ...a1, state: 'failed', error: new ApiError(502, 'No answer.', 'req_1') }]);
  expect((failed as AnswerEntry).error).toBeInstanceOf(ApiError);
  expect((failed as AnswerEntry).error).toMatchObject({ status: 502, message: 'No answer.', requestId: 'req_1' });
});

test('NUL characters are removed everywhere', () => {
  const request = { ...a1.request, stop: 'a\0b' };
  const odd = {
    ...a1,
    content: 'a\0b',
    request,
    error: new ApiError(502, 'a\0b', null),
    toolCalls: [{ id: 'a\0b', name: 'f', arguments: '{}' }],
  };
  const kept = packed({
    ...state,
    settings: { ...settings, system: 'a\0b' },
    entries: [{ ...u1, content: 'a\0b' } as Entry, odd],
  });
  expect(JSON.stringify(kept)).not.toContain('\\u0000');
  expect(JSON.stringify(kept).match(/"ab"/g)).toHaveLength(6);
});

test('settings of an earlier version are read, invalid ones replaced by defaults', () => {
  const old = { temperature: 1, stream: 'yes', gone: 1, orchestration: { verbosity: 'verbose' } };
  const read = unpacked({ ...packed(state), settings: old }).settings;
  expect(read).toMatchObject({ temperature: 1, stream: true, system: '' });
  expect(read.orchestration).toEqual({ ...defaultSettings.orchestration, verbosity: 'verbose' });
  expect(unpacked({ ...packed(state), settings: {} }).settings).toEqual(defaultSettings);
});

test('a chat that is too large loses its oldest images first', () => {
  const large = `data:image/png;base64,${'A'.repeat(10_000)}`;
  const content = packed({ ...state, entries: [said('u1', [large, large]), a1, said('u2', [large])] });
  expect(fitting(content, 1_000_000)).toBe(content);
  const [first, , second] = fitting(content, 20_000).entries;
  expect(first).toEqual({ id: 'u1', role: 'user', content: 'u1?', images_left_out: 2 });
  expect(second).toMatchObject({ images: [large] });
  // As many as one message may have, and some more that did not count.
  const many = packed({ ...state, entries: [said('u1', Array(25).fill(large))] });
  expect(many.entries[0]).toMatchObject({ images: Array(20).fill(large), images_left_out: 5 });
  expect(fitting(many, 1_000).entries[0]).toMatchObject({ images_left_out: 20 });
});

test('chats of another user and unreadable data are ignored', () => {
  const kept = { id: 'x', name: 'X', last: { version: 3, sent: 'u1' }, behind: true, state };
  const drafts = new Map([['x', { text: 'Half a', images: ['data:image/png;base64,AAAA'] }]]);
  const text = serializeChats(7, { chats: [kept], drafts });
  expect(parseChats(7, text)).toEqual({ chats: JSON.parse(JSON.stringify([kept])), drafts });
  expect(parseChats(7, serializeChats(7, { chats: [kept], drafts }, 20)).drafts.get('x')).toEqual({
    text: 'Half a',
    images: [],
  });
  const nothing = { chats: [], drafts: new Map() };
  expect(parseChats(8, text)).toEqual(nothing);
  for (const other of [null, '', 'x', '[]', 'null', '{"userId":7}', '{"userId":7,"chats":[{}]}'])
    expect(parseChats(7, other)).toEqual(nothing);
});

test('regenerating an answer removes later entries, but not other columns of the same turn', () => {
  expect(withoutAnswer(state.entries, a2)).toEqual([u1, a1, b1, u2, b2]);
  expect(withoutAnswer(state.entries, a1)).toEqual([u1, b1]);
  expect(withoutColumn(state.entries, 'c1')).toEqual([u1, b1, u2, b2]);
});

test('a model added later gets the conversation so far', () => {
  let count = 0;
  const newId = () => {
    count += 1;
    return `n${count}`;
  };
  const running = { ...a2, id: 'a3', state: 'streaming' as const };
  const joined = forColumn([u1, a1, u2, a2, running], 'c1', 'c3', newId);
  expect(joined.filter((entry) => entry.role !== 'user' && entry.column === 'c3')).toEqual([
    { ...a1, id: 'n1', column: 'c3' },
    { ...a2, id: 'n2', column: 'c3' },
  ]);
});
