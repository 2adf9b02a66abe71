import { expect, test } from 'bun:test';
import { newCode, readCode, shownCode } from './code-text.ts';

test('a code is accepted in any way of typing it', () => {
  for (let i = 0; i < 100; i += 1) {
    const code = newCode();
    const shown = shownCode(code);
    expect(shown).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}(-[0-9A-HJKMNP-TV-Z]{5}){3}$/);
    const typed = [shown, code, shown.toLowerCase(), ` ${shown.replaceAll('-', ' ')}\n`, shown.replaceAll('0', 'o')];
    for (const text of [...typed, shown.replaceAll('1', 'l'), shown.replaceAll('1', 'I')])
      expect(readCode(text)).toBe(code);
  }
});

test.each(['', 'ABC', 'U'.repeat(20), `${'A'.repeat(20)}!`, '💰'.repeat(20), 'A'.repeat(21)])(
  '%p is not a code',
  (typed) => {
    expect(readCode(typed)).toBeNull();
  },
);

test('codes of another gateway are accepted as issued', () => {
  const code = '0f1e2d3c4b5a69788796a5b4c3d2e1f0';
  for (const typed of [code, code.toUpperCase(), ` ${code}\n`]) expect(readCode(typed)).toBe(code);
  expect(readCode(`${code}0`)).toBeNull();
});
