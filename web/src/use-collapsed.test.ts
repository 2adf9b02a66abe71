import { expect, test } from 'bun:test';
import { readCollapsed } from './use-collapsed.ts';

test('whatever is stored, it is a list of names', () => {
  expect(readCollapsed('["Admin","Build"]')).toEqual(['Admin', 'Build']);
  for (const odd of [undefined, '', '{', 'null', '"Admin"', '{"Admin":true}']) expect(readCollapsed(odd)).toEqual([]);
  expect(readCollapsed('["Admin",1,null]')).toEqual(['Admin']);
});
