import { expect, test } from 'bun:test';
import { findFault, mayBeRefusal } from './checks.ts';

const check = (text: string, rest = {}) =>
  findFault({ text, finishReason: 'stop', hasToolCalls: false, wantsJson: false, limited: false, ...rest });

test.each([
  ["I'm sorry, but I can't help with that."],
  ['I’m sorry, I cannot assist with this request.'],
  ['Sorry, I am unable to provide that information.'],
  ['I cannot fulfill this request.'],
  ['As an AI language model, I cannot provide an opinion.'],
  ["I can't assist with that."],
  ['I won’t help with this.'],
])('%s is a refusal', (text) => expect(check(text)).toBe('refused'));

test.each([
  ["I'm sorry to hear that. Here is what you can do: rest."],
  ['I can help with that. The answer is 4.'],
  ['Sorry for the wait: the result is 7.'],
  ['You cannot divide by zero.'],
  [`I'm sorry, but I can't help with all of it. ${'However, here is the whole of the rest. '.repeat(20)}`],
])('%s is an answer', (text) => expect(check(text)).toBeNull());

test('empty, cut off, filtered and misshapen answers are faults', () => {
  expect(check(' \n')).toBe('empty');
  expect(check('half a sen', { finishReason: 'length' })).toBe('cut_off');
  expect(check('half a sen', { finishReason: 'length', limited: true })).toBeNull();
  expect(check('x', { finishReason: 'content_filter' })).toBe('refused');
  expect(check('not json', { wantsJson: true })).toBe('wrong_format');
  expect(check('"a string"', { wantsJson: true })).toBe('wrong_format');
  expect(check('{"a": 1}', { wantsJson: true })).toBeNull();
  expect(check('', { hasToolCalls: true })).toBeNull();
});

test('a stream is held back only as long as it may become a refusal', () => {
  expect(mayBeRefusal("I'm sorry")).toBe(true);
  expect(mayBeRefusal("I'm sorry, but I can't help with that because of the rules")).toBe(true);
  expect(mayBeRefusal('')).toBe(true);
  expect(mayBeRefusal('The')).toBe(false);
  expect(mayBeRefusal('I think that the capital of France is Paris, on the Seine.')).toBe(false);
});
