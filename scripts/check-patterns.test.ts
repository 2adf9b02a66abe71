import { expect, test } from 'bun:test';
import { faultsIn, faultsOf, patternsOf } from './check-patterns.ts';

/** Each of these can block a process for seconds. */
const slow: [RegExp, string][] = [
  [/[aeiouy].*ing$/, 'a vowel, again and again'],
  [/^\s*(?:\d+[.)]|[-*•])\s+\S/gmu, 'newlines'],
  [/\/+$/, 'slashes in the middle'],
  [/\s*;\s*/, 'blanks without a semicolon'],
  [/'.*$/, 'apostrophes before a newline'],
  [/\b(first|then)\b[\s\S]*\b(finally|next)\b/i, 'first first first'],
  [/\b(compare|contrast)\b[^.?!]*,[^.?!]*\b(and|with)\b/i, 'commas'],
  [/"(?:[^"\\]|\\.)*"/, 'escaped quotes and no end'],
  [/```[\w-]*\s*\n?([\s\S]*?)```/g, 'fences without an end'],
  [/<a>([\s\S]*?)<\/a>/, 'openings without an end'],
  [/[\w.+-]+@[\w-]+\.[\w.]+/, 'letters without an @'],
  [/^\W*(?:none)?\W*(?:yet)?\W*$/i, 'cubic'],
  [/^(\w+\s?)*$/, 'exponential'],
  [/^bearer\s+(.+)$/i, 'blanks and a newline'],
  [/\b[\w-]+(?:\.[\w-]+)+\b/, 'dashes'],
];

test.each(slow)('slow: %p (%s)', ({ source, flags }) => {
  expect(faultsOf(source, flags)).not.toEqual([]);
});

const linear: RegExp[] = [
  /\s+/g,
  /^bearer\s+(\S.*)$/i,
  /\b(translat\w*|into (english|french))\b/i,
  /^[ \t]*(?:\d{1,9}[.)]|[-*•])\s+\S/gmu,
  /[\w.+-]{1,64}@[\w-]{1,63}\.[\w.]{1,200}/,
  /```[\s\S]*?(?:```|$)/g,
  /\n[^\n]*$/,
  /^data:[a-z]+;base64,[A-Za-z0-9+/]+={0,2}$/,
  /[\p{L}\p{N}]+(?:'\p{L}+)?/gu,
];

test.each(linear)('linear: %p', ({ source, flags }) => {
  expect(faultsOf(source, flags)).toEqual([]);
});

test('patterns are found in literals and constant texts; those built from variables are reported', () => {
  const text = `const a: RegExp = /x+y/g; const b = new RegExp('x+y', 'i'); const c = RegExp(\`x\${a.source}\`);`;
  expect(patternsOf('a.ts', text).map(({ source, flags }) => [source, flags])).toEqual([
    ['x+y', 'g'],
    ['x+y', 'i'],
    [null, ''],
  ]);
  expect(faultsIn('a.ts', text).filter((fault) => fault.includes('built from variables'))).toHaveLength(1);
  expect(faultsIn('a.ts', text, { 'x+y': 'short', '*': 'ours' })).toEqual([]);
});
