import { expect, test } from 'bun:test';
import { vendors } from '../../../server/src/lib/vendors/table.ts';
import { viewPresets } from '../../../server/src/routing/catalog/presets.ts';
import { guessPreset } from './add-by-preset.ts';

const presets = viewPresets(vendors);

test('guesses the provider from the key’s prefix; null when unknown', () => {
  expect(guessPreset(presets, ' sk-ant-api03-x')).toBe('anthropic');
  expect(guessPreset(presets, 'sk-or-v1-x')).toBe('openrouter');
  expect(guessPreset(presets, 'sk-proj-x')).toBe('openai');
  expect(guessPreset(presets, 'AIzaSy')).toBe('gemini');
  expect(guessPreset(presets, 'csk-1')).toBe('cerebras');
  expect(guessPreset(presets, 'sk-1234')).toBeNull();
  expect(guessPreset(presets, '')).toBeNull();
});
