import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { shownName, shownText } from './shown-text.ts';

const name = shownName(64);
const read = (text: string): string | null => {
  const parsed = name.safeParse(text);
  return parsed.success ? parsed.data : null;
};

/** Each as a code point, so that this file shows what it tests. */
const hidden: Record<string, number[]> = {
  'control characters': [0x00, 0x07, 0x0a, 0x0d, 0x1b, 0x7f, 0x85],
  'zero width': [0x200b, 0x200c, 0x200d, 0x2060, 0xfeff, 0x180e, 0x00ad, 0x034f],
  'writing direction': [0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069],
  'invisible operators': [0x2061, 0x2062, 0x2063, 0x2064, 0x206a, 0x206f],
  separators: [0x2028, 0x2029],
  fillers: [0x115f, 0x1160, 0x17b4, 0x17b5, 0x2800, 0x3164, 0xffa0],
  'variation selectors': [0xfe00, 0xfe0f, 0xe0100, 0xe01ef, 0x180b],
  'tags, private use, noncharacters': [0xe0001, 0xe0041, 0xe000, 0xf0000, 0xfff9, 0xfffe, 0x10ffff],
  'half of a pair': [0xd800, 0xdfff],
};
const points = Object.values(hidden).flat();

describe.each(Object.entries(hidden))('%s', (_, list) => {
  test.each(list.map((point) => [point.toString(16).padStart(4, '0'), String.fromCodePoint(point)]))(
    'U+%s is rejected, alone and within a text',
    (_point, character) => {
      for (const text of [`Ba${character}nk`, `B4${character}nk`, `${character}${character}`, `a ${character} b`])
        expect([text, read(text)]).toEqual([text, null]);
      // At the ends what is a space goes; nothing of it is kept.
      for (const text of [`${character}Bank`, `Bank${character}`]) expect([null, 'Bank']).toContain(read(text));
    },
  );
});

test('texts that look the same are normalised to the same', () => {
  const same: [string, string][] = [
    ['Cafe\u0301', 'Caf\u00e9'],
    ['  My   bank ', 'My bank'],
    ['My\u00a0bank', 'My bank'],
    ['My\u2003\u3000bank', 'My bank'],
    ['\u212bngstrom', '\u00c5ngstrom'],
  ];
  for (const [written, stored] of same) expect(read(written)).toBe(stored);
});

test('names in all scripts are accepted', () => {
  const good = [
    ...['Notes', 'Zoë & Söhne', '日本語', 'Приложение', 'העברית', 'العربية', '한국어', 'C++ (2)', '100 %', '~'],
    // Emoji of several parts, and letters that a joiner shapes.
    ...[
      '\u{1f469}\u200d\u{1f4bb}',
      'I \u2764\ufe0f NY',
      '\u{1f3f3}\ufe0f\u200d\u{1f308}',
      '\u{1f469}\u{1f3fd}\u200d\u{1f680}',
      '1\ufe0f\u20e3',
    ],
    ...['\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645', '\u0d28\u0d4d\u200d\u0d31'],
  ];
  for (const text of good) expect(read(text)).toBe(text.normalize('NFC'));
});

test('texts that look empty are rejected, and length is counted in characters', () => {
  for (const text of ['', ' ', '\u00a0\u2003', '\u0301', '\u0301\u0302 ', '\t']) expect(read(text)).toBeNull();
  expect(read('\u{1f600}'.repeat(64))).not.toBeNull();
  expect(read('\u{1f600}'.repeat(65))).toBeNull();
  expect(read('x'.repeat(65))).toBeNull();
});

test('an accepted text shows all its characters, and is accepted again unchanged', () => {
  const piece = fc.oneof(
    fc.constantFrom(...points.map((point) => String.fromCodePoint(point)), ' ', '\u00a0', '\u0301'),
    fc.string({ unit: 'grapheme', maxLength: 4 }),
    fc.string({ unit: 'binary', maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const taken = read(pieces.join(''));
      if (taken === null) return;
      expect(read(taken)).toBe(taken);
      expect(taken).toBe(taken.normalize('NFC').trim());
      expect(/[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u.test(taken)).toBe(
        false,
      );
      // Without the joiners that shape it, nothing is left that cannot be seen.
      expect(/^[\p{M}\s]*$/u.test(taken.replace(/\u200c|\u200d|\ufe0f/g, ''))).toBe(false);
    }),
    { numRuns: 5_000 },
  );
});

test('descriptions may have line breaks, and no other hidden characters', () => {
  const text = shownText(500);
  expect(text.parse(' one\r\ntwo\n\tthree ')).toBe('one\ntwo\n\tthree');
  expect(text.parse('')).toBe('');
  for (const point of points.filter((one) => one !== 0x0a && one !== 0x0d)) {
    const character = String.fromCodePoint(point);
    expect(text.safeParse(`a${character}b`).success).toBe(false);
  }
  expect(text.safeParse('x'.repeat(501)).success).toBe(false);
});

test('a text that is far too long is rejected before it is read', () => {
  let read = 0;
  const name = shownName(64).refine(() => {
    read += 1;
    return true;
  });
  expect(name.safeParse('a'.repeat(1_000_000)).success).toBe(false);
  expect(read).toBe(0);
  expect(name.safeParse('a'.repeat(65)).success).toBe(false);
  expect(name.safeParse('a'.repeat(64)).success).toBe(true);
});
