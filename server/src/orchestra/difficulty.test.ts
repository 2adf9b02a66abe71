import { expect, test } from 'bun:test';
import { difficultyOf } from './difficulty.ts';

test.each([
  ['question', 'Who wrote Faust?', 'easy'],
  ['question', 'Why do leaves turn red in autumn?', 'medium'],
  ['translation', 'Translate "good night"', 'easy'],
  ['translation', 'Translate this clause so that every obligation in it keeps exactly the same scope', 'hard'],
  ['summary', 'Summarize this in one sentence', 'easy'],
  ['summary', 'Reconcile the contradicting findings of these studies in a summary without losing evidence', 'hard'],
  ['code', 'Rename this variable', 'easy'],
  ['code', 'Write a function that sorts names', 'medium'],
  ['code', 'Find the race condition in this handler', 'hard'],
  ['math', 'Prove that the square root of two is irrational', 'hard'],
  ['chat', 'thanks, that proof was great', 'easy'],
] as const)('%s: %s → %s', (kind, text, difficulty) => {
  expect(difficultyOf(kind, text)).toBe(difficulty);
});

test('repeated words add nothing, pasted code is ignored, and length alone adds work', () => {
  expect(difficultyOf('question', 'every every every every')).toBe(difficultyOf('question', 'every'));
  expect(difficultyOf('code', 'Fix this ```prove theorem rigorous```')).toBe('medium');
  expect(difficultyOf('summary', `Summarize: ${'word '.repeat(2000)}`)).not.toBe('easy');
});
