import { describe, expect, test } from 'bun:test';
import type { Answer, Delta, Json } from '../wire/conversation.ts';
import { answerDeltas, GatheredAnswer } from './answer-deltas.ts';
import { keepable } from './kept-answer.ts';

const answer: Answer = {
  ...{ id: '', model: '', finish: 'stop', stopSequence: 'END' },
  parts: [
    { type: 'thinking', text: 'Well.', signature: 's1' },
    { type: 'redacted_thinking', data: 'd' },
    { type: 'thinking', text: 'And so.' },
    { type: 'text', text: 'It rains.' },
  ],
};

const gather = (deltas: Delta[], event: Json = {}): Answer | null => {
  const gathered = new GatheredAnswer('chat');
  gathered.see(deltas, event);
  return gathered.answer();
};

test('an answer split into deltas is gathered unchanged', () => {
  expect(gather(answerDeltas(answer))).toEqual(answer);
});

test('text deltas are joined and empty ones are dropped', () => {
  const deltas: Delta[] = [
    { type: 'start', id: 'c', model: 'm' },
    { type: 'text', text: '' },
    { type: 'text', text: 'It ' },
    { type: 'text', text: 'rains.' },
    { type: 'finish', finish: 'length' },
    { type: 'usage', usage: { promptTokens: 1, completionTokens: 1 } },
    { type: 'end' },
  ];
  const parts = [{ type: 'text' as const, text: 'It rains.' }];
  expect(gather(deltas)).toEqual({ id: 'c', model: 'm', finish: 'length', parts });
});

describe('streams that are not gathered', () => {
  const text: Delta = { type: 'text', text: 'a' };
  const finish: Delta = { type: 'finish', finish: 'stop' };
  const plain: Json = {};
  test.each<[string, Delta[], Json]>([
    ['an answer without an end', [text], plain],
    ['several choices', [text, { type: 'choice' }, finish], plain],
    ['tool calls', [{ type: 'tool_start', index: 0, id: 'a', name: 'f' }, finish], plain],
    ['logprobs', [{ ...text, logprobs: [{}] } as Delta, finish], plain],
    ['images', [text, finish], { choices: [{ delta: { images: [{}] } }] }],
  ])('%s', (_, deltas, event) => {
    expect(gather(deltas, event)).toBeNull();
  });
});

describe('answers that are not cached', () => {
  test.each<[string, Partial<Answer>]>([
    ['a tool call', { parts: [...answer.parts, { type: 'tool_call', id: 'a', name: 'f', arguments: '{}' }] }],
    ['an answer cut off by a filter', { finish: 'content_filter' }],
    ['only thinking', { parts: answer.parts.slice(0, 3) }],
    ['a text with web citations', { parts: [{ type: 'text', text: 'a', cited: [] }] }],
    ['a text with citations', { parts: [{ type: 'text', text: 'a', citations: [{}] }] }],
  ])('%s', (_, change) => {
    expect(keepable({ ...answer, ...change })).toBeNull();
  });

  test('the id of a response is removed', () => {
    const source = { format: 'responses' as const, body: { id: 'resp_1' } };
    expect(keepable({ ...answer, source })).toEqual(answer);
    const chat = { format: 'chat' as const, body: { id: 'c' } };
    expect(keepable({ ...answer, source: chat })?.source).toEqual(chat);
  });
});
