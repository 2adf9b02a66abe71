import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { lenientJson, strictJson } from './json.ts';

const good = {
  description: 'Two steps',
  tasks: [
    { id: 'a', title: 'A', instruction: 'do a', difficulty: 'easy' as const, depends_on: [] },
    { id: 'b', title: 'B', instruction: 'do b', difficulty: 'hard' as const, depends_on: ['a'] },
  ],
};

describe('lenient JSON', () => {
  test.each([
    ['plain', JSON.stringify(good)],
    ['fenced', `Here you are:\n\`\`\`json\n${JSON.stringify(good, null, 2)}\n\`\`\`\nEnjoy!`],
    ['prose around', `Sure! The plan is ${JSON.stringify(good)} and that is all {ok}.`],
    ['trailing commas', JSON.stringify(good).replaceAll(']', ',]').replaceAll('}', ',}').replaceAll('[,', '[')],
    ['single quotes', JSON.stringify(good).replaceAll('"', "'")],
    ['bare keys', JSON.stringify(good).replace(/"(\w+)":/g, '$1:')],
    ['comments', JSON.stringify(good, null, 1).replace('{', '{ // the plan\n /* here */')],
    ['cut off', JSON.stringify(good).slice(0, -2)],
  ])('%s', (_, text) => expect(lenientJson(text)).toEqual(good));
  test('text without JSON gives nothing', () => {
    expect(lenientJson('no plan today')).toBeUndefined();
    expect(lenientJson('')).toBeUndefined();
    expect(lenientJson('"just a string"')).toBeUndefined();
  });
  test('an apostrophe inside a string is not a quote', () => {
    expect(lenientJson('{"a": "it\'s", b: \'say "hi"\',}')).toEqual({ a: "it's", b: 'say "hi"' });
  });
  test('never throws', () => {
    fc.assert(fc.property(fc.string(), (text) => void lenientJson(`{${text}`)));
  });
  test('repairs Python words, broken lines and quotes inside strings', () => {
    expect(lenientJson('{a: True, b: None, "c": "one\ntwo"}')).toEqual({ a: true, b: null, c: 'one\ntwo' });
    expect(lenientJson('{"a": "he said "no" twice"}')).toEqual({ a: 'he said "no" twice' });
  });
  test('valid JSON takes precedence over repaired JSON, and each object is read separately', () => {
    expect(lenientJson('Such as {like: this}.\n{"a": 1}')).toEqual({ a: 1 });
    expect(lenientJson('{"a": 1}\n{"b": 2}')).toEqual({ a: 1 });
  });
  test('prose in brackets is not JSON', () => {
    expect(strictJson('Nobody knows [citation needed], see {above}.')).toBeNull();
    expect(strictJson("['a', 'b',]")).toBe('["a","b"]');
  });
});

/** A repair of these takes from half a second to minutes; not trying it is the only thing that takes no time. */
test.each([
  ['brackets', '['.repeat(1_000_000)],
  ['objects in objects', '{"a":'.repeat(200_000)],
  ['strings without commas', `[${'"b" '.repeat(250_000)}`],
  ['objects line by line', '{a:1}\n'.repeat(200_000)],
  ['one block after another', '```[1 2 '.repeat(100_000)],
])('a hostile megabyte of %s is not repaired', (_, text) => {
  let read = 0;
  lenientJson(text, (part) => {
    read += part.length;
    return '';
  });
  expect(read).toBeLessThanOrEqual(12_288);
});
test('a small but very deep answer is not repaired', () => {
  expect(lenientJson('['.repeat(16_000))).toBeUndefined();
  expect(lenientJson(`${'{"a":'.repeat(60)}1`)).toBeDefined();
});
