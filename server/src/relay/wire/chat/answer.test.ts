import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { renamedChatText } from './answer.ts';

const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
const message = { role: 'assistant', content: 'Hello' };
const choice = { index: 0, message, finish_reason: 'stop' };
const body = {
  id: 'c',
  object: 'chat.completion',
  created: 7,
  model: 'upstream-name',
  choices: [choice],
  usage,
};

describe('replacing the model name in the text of an answer', () => {
  test.each([
    ['compact', JSON.stringify(body)],
    ['pretty-printed', JSON.stringify(body, null, 2)],
    ['with a space before the colon', JSON.stringify(body).replace('"model":', '"model" : ')],
  ])('%s', (_, text) => {
    const renamed = renamedChatText(text, JSON.parse(text), 'acme/"large"')!;
    expect(JSON.parse(renamed)).toEqual({ ...body, model: 'acme/"large"' });
  });

  test.each([
    ['a second field of that name', { ...body, choices: [{ ...choice, model: 'other' }] }],
    ['a value that looks like it', { ...body, kind: 'model' }],
    ['null tool calls', { ...body, choices: [{ ...choice, message: { ...message, tool_calls: null } }] }],
    ['no timestamp', { ...body, created: undefined }],
    ['no id', { ...body, id: '' }],
    ['no usage', { ...body, usage: null }],
    ['no name', { ...body, model: undefined }],
    ['a name that is not a string', { ...body, model: 7 }],
  ])('%s requires parsing and serialising', (_, given) => {
    expect(renamedChatText(JSON.stringify(given), JSON.parse(JSON.stringify(given)), 'acme/large')).toBeNull();
  });

  test('for any answer only the name differs, or the text is not used', () => {
    const tricky = fc.constantFrom(
      'model',
      '"model":',
      '\\"model\\":"x"',
      'upstream-name',
      '{"model":"upstream-name"}',
    );
    const words = fc.oneof(tricky, fc.string());
    const extra = fc.dictionary(words, fc.oneof(words, fc.jsonValue()), { maxKeys: 4 });
    let passed = 0;
    fc.assert(
      fc.property(extra, words, words, fc.boolean(), (before, name, content, after) => {
        const own = { ...body, model: name, choices: [{ ...choice, message: { ...message, content } }] };
        const given = JSON.parse(JSON.stringify(after ? { ...before, ...own } : { ...own, ...before }));
        const text = JSON.stringify(given);
        const renamed = renamedChatText(text, given, 'acme/large');
        if (renamed === null) return;
        passed += 1;
        expect(JSON.parse(renamed)).toEqual({ ...given, model: 'acme/large' });
      }),
    );
    expect(passed).toBeGreaterThan(0);
  });
});
