import { expect, test } from 'bun:test';
import { readFolded } from './use-folded.ts';

test('reads a list of names from whatever is stored', () => {
  expect(readFolded('["Admin","Build"]')).toEqual(['Admin', 'Build']);
  for (const odd of [undefined, '', '{', 'null', '"Admin"', '{"Admin":true}']) expect(readFolded(odd)).toEqual([]);
  expect(readFolded('["Admin",1,null]')).toEqual(['Admin']);
});
