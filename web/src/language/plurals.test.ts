import { expect, test } from 'bun:test';
import IntlMessageFormat from 'intl-messageformat';
import words from './zh-CN/index.ts';

const messages = Object.keys(words);

/** Things that are counted somewhere, in the form that more than one of them has. */
const counted = new Set(
  messages.flatMap((message) =>
    [...message.matchAll(/other \{[^{}]*?# (?:[a-z]+ )?([a-z]+s)\b/g)].map(([, noun]) => noun!),
  ),
);

/** Values that are never one, or no number, and why. */
const neverOne: Record<string, string> = {
  'The last {days} days, counted in UTC.': 'a constant',
  '{least} to {most} characters': 'more than the least, which is one or more',
  'Context: {used} of {most} tokens': 'what a model can read',
  'Context: {used} of {most} tokens, shortened': 'what a model can read',
  'Maximum output: {count} tokens': 'what a model can write',
  '{count} models failed repeatedly, including {model}.': 'one has a sentence of its own',
  '{ended} devices logged out': 'one has a sentence of its own',
  '{protocol} addresses are not supported.': 'a name',
};

test('messages with counts have a singular form', () => {
  expect(counted.size).toBeGreaterThan(20);
  const found = messages.filter((message) =>
    [...message.matchAll(/\{\w+\} (?:[a-z]+ )?([a-z]+s)\b/g)].some(([, noun]) => counted.has(noun!)),
  );
  expect(found.toSorted()).toEqual(Object.keys(neverOne).toSorted());
});

test.each(messages.filter((message) => /, plural,/.test(message)))('singular: %s', (message) => {
  const names = [...message.matchAll(/\{(\w+)[,}]/g)].map(([, name]) => name!);
  const ones = Object.fromEntries(names.map((name) => [name, 1]));
  const tags = Object.fromEntries(
    [...message.matchAll(/<(\w+)>/g)].map(([, tag]) => [tag, (parts: string[]) => parts.join('')]),
  );
  const text = String(new IntlMessageFormat(message.replace(/##.*/, ''), 'en').format({ ...ones, ...tags }));
  expect([...text.matchAll(/\b1 (?:[a-z]+ )?([a-z]+s)\b/g)].filter(([, noun]) => counted.has(noun!))).toEqual([]);
});
