import { expect, test } from 'bun:test';
import { guessPreset } from './guess-preset.ts';

test('a key tells whose it is, or nothing', () => {
  expect(guessPreset(' sk-ant-api03-x')).toBe('anthropic');
  expect(guessPreset('sk-or-v1-x')).toBe('openrouter');
  expect(guessPreset('sk-proj-x')).toBe('openai');
  expect(guessPreset('AIzaSy')).toBe('gemini');
  expect(guessPreset('sk-1234')).toBeNull();
  expect(guessPreset('')).toBeNull();
});
