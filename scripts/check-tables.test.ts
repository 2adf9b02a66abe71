import { expect, test } from 'bun:test';
import { plainTablesIn } from './check-tables.ts';

test.each([
  `const rows: Record<string, number> = { a: 1 };`,
  `export const rows: Readonly<Record<string, string>> = {\n  a: 'b',\n};`,
  `const rows: Partial<Record<string, (value: Json) => Part | undefined>> = { a: read };`,
  `const rows: Record<\n  string,\n  number\n> = { a: 1 };`.replace(/\n\s*/g, ''),
  `const rows: Record<string, Record<string, string[]>[]> = {\n  // A comment.\n  ...others,\n};`,
  `const rows = { a: 1 } as const;\nconst find = (name: string) => rows[name as keyof typeof rows];`,
])('refused: %s', (text) => {
  expect(plainTablesIn('a.ts', `import { a } from './a.ts';\n\n${text}\n`)).toEqual([
    expect.stringMatching(/^a\.ts: rows gives .*constructor; use table\(\)/),
  ]);
});

test.each([
  `const rows = table<number>({ a: 1 });`,
  `const rows: Record<string, number> = table({ a: 1 });`,
  `const rows: Record<'a' | 'b', number> = { a: 1, b: 2 };`,
  `const none: Record<string, string> = {};`,
  `const none: Record<string, string> = Object.freeze({});`,
  `const rows: Record<string, number> = of(names);\nconst other = { a: 1 };`,
  `function headersOf() {\n  const headers: Record<string, string> = { accept: 'application/json' };\n}`,
])('allowed: %s', (text) => {
  expect(plainTablesIn('a.ts', text)).toEqual([]);
});
