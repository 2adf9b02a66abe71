import { expect, test } from 'bun:test';
import { optionTable } from '../../../../server/src/identity/option-table.ts';
import words from '../../language/zh-CN/server-options.ts';

test('exactly the existing options have a Chinese name and description', () => {
  const said = Object.entries(optionTable).flatMap(([key, { help }]) => [key, help]);
  expect(Object.keys(words).sort()).toEqual(said.sort());
});
