import { expect, test } from 'bun:test';
import { defaultPreferences } from '../preferences.ts';
import { chatModel } from '../scripted.fixture.ts';
import { fitResultsTo, joinResults } from './results.ts';

const told = (title: string, text: string | null) => ({ title, text });
const room = {
  choosing: {
    settings: { preferences: defaultPreferences },
    operator: { plan: '', easy: '', medium: '', hard: '', embedding: '', rerank: '' },
    models: [
      chatModel('wide', 1),
      chatModel('narrow', 1, { contextLength: 40 }),
      chatModel('x', 1, { contextLength: 0 }),
    ],
    patterns: [],
  },
  count: async (text: string) => text.length,
};
const lengths = async (model: string | undefined, ...texts: (string | null)[]) =>
  (
    await fitResultsTo(
      texts.map((text) => told('t', text)),
      model,
      80,
      room,
    )
  ).map(({ text }) => text?.length ?? null);

test('results share half of the context, and short ones leave room for long ones', async () => {
  expect(await lengths('wide', 'a'.repeat(20), 'b'.repeat(20))).toEqual([20, 20]);
  expect(await lengths('wide', 'a'.repeat(90), 'b'.repeat(4), 'c'.repeat(50))).toEqual([19, 4, 19]);
  expect(await lengths('wide', null, 'a'.repeat(90))).toEqual([null, 41]);
});

test('a smaller context window of the model applies, and an unknown one is ignored', async () => {
  expect(await lengths('narrow', 'a'.repeat(90))).toEqual([21]);
  expect(await lengths('x', 'a'.repeat(90))).toEqual([41]);
  expect(await lengths(undefined, 'a'.repeat(90))).toEqual([41]);
});

test('joined results leave out tasks without one', () =>
  expect(joinResults([told('a', 'one'), told('b', null), told('c', 'two')])).toBe('one\n\ntwo'));
