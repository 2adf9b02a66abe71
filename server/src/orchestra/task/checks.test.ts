import { expect, test } from 'bun:test';
import { type Fault, findFault } from './checks.ts';
import { mayBeRefusal } from './refusals.ts';

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
  ['Es tut mir leid, aber ich kann dir dabei nicht helfen.'],
  ['Leider kann ich diese Anfrage nicht beantworten.'],
  ['Je suis désolé, mais je ne peux pas vous aider avec cela.'],
  ['Lo siento, pero no puedo ayudarte con eso.'],
  ['Desculpe, mas não posso ajudar com isso.'],
  ['Mi dispiace, ma non posso aiutarti con questa richiesta.'],
  ['Извините, но я не могу помочь с этим.'],
  ['很抱歉，我无法提供这方面的帮助。'],
  ['对不起，我不能帮助您完成这个请求。'],
  ['申し訳ありませんが、そのご要望にはお応えできません。'],
  ['죄송하지만 그 요청은 도와드릴 수 없습니다.'],
])('%s is a refusal, and is held back while another model may answer', (text) => {
  expect(check(text)).toBe('refused');
  for (let end = 1; end <= text.length; end++) expect(mayBeRefusal(text.slice(0, end))).toBe(true);
});

test.each([
  ["I'm sorry to hear that. Here is what you can do: rest."],
  ['I can help with that. The answer is 4.'],
  ['Sorry for the wait: the result is 7.'],
  ['You cannot divide by zero.'],
  ['Leider kann ich nicht sagen, wann es regnet; der Bericht spricht für morgen.'],
  ['Lo siento mucho por tu pérdida. Aquí tienes algunos consejos.'],
  ['很抱歉给您带来不便，以下是解决办法。'],
  ['申し訳ありません、とても丁寧な謝罪の言葉です。'],
  ['Désolé pour le retard : voici la réponse.'],
  [`I'm sorry, but I can't help with all of it. ${'However, here is the whole of the rest. '.repeat(20)}`],
])('%s is an answer', (text) => expect(check(text)).toBeNull());

test('empty, cut-off, filtered and malformed answers are faults', () => {
  expect(check(' \n')).toBe('empty');
  expect(check('', { finishReason: 'length' })).toBe('empty');
  expect(check('', { finishReason: 'length', limited: true })).toBeNull();
  expect(check('half a sen', { finishReason: 'length' })).toBe('cut_off');
  expect(check('half a sen', { finishReason: 'length', limited: true })).toBeNull();
  expect(check('x', { finishReason: 'content_filter' })).toBe('refused');
  expect(check('not json', { wantsJson: true })).toBe('wrong_format');
  expect(check('"a string"', { wantsJson: true })).toBe('wrong_format');
  expect(check('{"a": 1}', { wantsJson: true })).toBeNull();
  expect(check('{"a": 1}', { wantsJson: true, schema: { required: ['b'] } })).toBe('wrong_format');
  expect(check('', { hasToolCalls: true })).toBeNull();
});

test.each<[string, object, Fault | null]>([
  ['"positive"', { type: 'STRING', enum: ['positive', 'negative'] }, null],
  ['"neutral"', { type: 'STRING', enum: ['positive', 'negative'] }, 'wrong_format'],
  ['7', { type: 'integer' }, null],
  ['7', { type: ['object', 'integer'] }, null],
  ['true', { anyOf: [{ type: 'boolean' }, { type: 'null' }] }, null],
  ['"yes"', { enum: ['yes', 'no'] }, null],
  ['"a string"', { type: 'object' }, 'wrong_format'],
  ['"a string"', { properties: { a: {} } }, 'wrong_format'],
  ['"a string"', {}, 'wrong_format'],
])('%s for the schema %p', (text, schema, fault) => expect(check(text, { wantsJson: true, schema })).toBe(fault));

test('a stream is held back only while it may become a refusal', () => {
  expect(mayBeRefusal("I'm sorry")).toBe(true);
  expect(mayBeRefusal("I'm sorry, but I can't help with that because of the rules")).toBe(true);
  expect(mayBeRefusal('')).toBe(true);
  expect(mayBeRefusal('The')).toBe(false);
  expect(mayBeRefusal('I think that the capital of France is Paris, on the Seine.')).toBe(false);
});
