/** Texts and shapes known to block parsers: long runs of one character, and many items of one kind. */

/** One run for each class of characters that patterns distinguish. */
export const runs: Record<string, string> = {
  letters: 'a',
  'capital letters': 'A',
  vowels: 'aeiou',
  newlines: '\n',
  spaces: ' ',
  'lines of blanks': ' \n\t',
  brackets: '[',
  braces: '{"a":',
  parentheses: '(',
  'angle brackets': '<',
  dashes: '-',
  underscores: '_',
  dots: '.',
  commas: ',',
  hashes: '#',
  stars: '*',
  fences: '```',
  backslashes: '\\',
  'equals signs': '=',
  slashes: '/',
  percents: '%41',
  'double quotes': '"',
  'single quotes': "'",
  'escaped quotes': '\\"',
  digits: '7',
  sums: '1+',
  'list items': '- a\n',
  words: 'first then compare ',
  tags: '<data x mark="a">\n',
  accents: 'é',
  'combining characters': '\u0301',
  'combining characters of two kinds': '\u0301\u0316',
  Chinese: '漢',
  emoji: '🎉',
  families: '👨‍👩‍👧‍👦',
};

export const runOf = (what: string, letters: number): string => {
  const unit = runs[what]!;
  return unit.repeat(Math.ceil(letters / unit.length));
};

/** All runs in one text, of about the given size as JSON. */
export function mixed(bytes: number): string {
  const each = bytes / Object.keys(runs).length;
  return Object.values(runs)
    .map((unit) => unit.repeat(Math.floor(each / (JSON.stringify(unit).length - 2 + Buffer.byteLength(unit)))))
    .join('\n');
}

/** Bodies of about the given size that are JSON or start like it. */
export const shapes: Record<string, (bytes: number) => string> = {
  'deep arrays': (bytes) => '['.repeat(bytes),
  'deep arrays, closed': (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  'deep objects': (bytes) => '{"a":'.repeat(bytes / 5),
  'many arrays': (bytes) => `[${'[],'.repeat(bytes / 3 - 1)}[]]`,
  'many numbers': (bytes) => `{"messages":[${'1,'.repeat(bytes / 2 - 10)}1]}`,
  'many names': (bytes) => `{${Array.from({ length: bytes / 14 }, (_, i) => `"k${i}":1`).join()}}`,
  'many messages': (bytes) => `{"messages":[${'{"role":"user","content":"a"},'.repeat(bytes / 30 - 1)}{}]}`,
  'one long number': (bytes) => `{"max_tokens":${'9'.repeat(bytes - 20)}}`,
  blanks: (bytes) => `{"a":1${' '.repeat(bytes - 10)}}`,
  escapes: (bytes) => `{"model":"${'\\n'.repeat(bytes / 2 - 10)}"}`,
  'escapes by number': (bytes) => `{"model":"${'\\u00e9'.repeat(bytes / 6 - 10)}"}`,
};
