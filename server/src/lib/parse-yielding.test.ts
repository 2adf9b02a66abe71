import { describe, expect, test } from 'bun:test';
import { parseYielding } from './parse-yielding.ts';
import { turnsDuring } from './turns-during.fixture.ts';

const parse = (text: string): Promise<unknown> => parseYielding(Buffer.from(text));
const many = (item: string, count = 80_000): string => Array(count).fill(item).join();
const blank = ' \n\t\r'.repeat(40_000);

const values: Record<string, string> = {
  short: '{"a": [1, 2, {"b": null}]}',
  numbers: `[${many('-1.5e-3')}]`,
  'numbers below an object, between others': `{"a": 1, "list": [${many('0.25')}], "z": {"b": [true]}}`,
  'lists below each other': `[${many(`[${many('7', 5_000)}]`, 40)}]`,
  'objects in a list': `{"data": [${many('{"object": "x", "at": [1, 2], "said": "é\\"[{,"}')}], "usage": {"n": 1}}`,
  'many members': `{${Array.from({ length: 40_000 }, (_, i) => `"k${i}": ${i}`).join()}}`,
  'numbers as names, and one twice': `{"2": [${many('1')}], "1": [${many('2')}], "2": [${many('3')}], "a": 4}`,
  'a name that objects have': `{"__proto__": [${many('1')}], "a": [${many('2')}]}`,
  'one long string': `{"a": "${'漢\\\\'.repeat(60_000)}", "b": "\\\\"}`,
  'quotes and backslashes': `[${many('"\\\\\\"]", "}"')}]`,
  blanks: `${blank}[${blank}[${many('1')}${blank}]${blank},${blank}2]${blank}`,
  deep: `${'['.repeat(30)}${many('1')}${']'.repeat(30)}`,
  'empty ones': `{"a": [${many('[]')}], "b": [${many('{}')}], "c": [], "d": {}}`,
  'a bare string': `"${'a'.repeat(200_000)}"`,
};

describe('parses like JSON.parse', () => {
  test.each(Object.entries(values))('%s', async (_, text) => {
    const parsed = await parse(text);
    expect(parsed).toEqual(JSON.parse(text));
    expect(JSON.stringify(parsed)).toBe(JSON.stringify(JSON.parse(text)));
  });
});

const large = `[${many('1')}]`;
const faults: Record<string, string> = {
  'a comma too many': `[${many('1')},]`,
  'a comma too many after what was parsed': `[${many('1', 65_536)},]`,
  'a comma too many after a list': `[${large},]`,
  'two commas': `[${large},,1]`,
  'no comma': `[${large} ${large}]`,
  'a word': `[${large} x, 1]`,
  'a word before': `x ${large}`,
  'something after': `${large} 1`,
  'another after': `${large} ${large}`,
  'other brackets': `[${many('1')}}`,
  'not closed': `{"a": ${large}`,
  'closed too often': `${large}]`,
  'a string without an end': `[${many('1')}, "a]`,
  'a member without a name': `{"a": ${large}, ${large}}`,
  'a comma outside': `${blank}${many('1')}`,
};

describe('rejects invalid JSON', () => {
  test.each(Object.entries(faults))('%s', async (_, text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    await expect(parse(text)).rejects.toBeInstanceOf(SyntaxError);
  });
});

test('parsing yields to other work', async () => {
  const text = `{"data": [${many(`[${many('0.123456789', 1_000)}]`, 3_000)}]}`;
  expect(await turnsDuring(() => parse(text))).toBeGreaterThan(5);
});
