import { expect, test } from 'bun:test';
import { readFolded } from './use-folded.ts';

test('whatever is stored, it is a list of names', () => {
  expect(readFolded('["Admin","Build"]')).toEqual(['Admin', 'Build']);
  for (const odd of [undefined, '', '{', 'null', '"Admin"', '{"Admin":true}']) expect(readFolded(odd)).toEqual([]);
  expect(readFolded('["Admin",1,null]')).toEqual(['Admin']);
});
