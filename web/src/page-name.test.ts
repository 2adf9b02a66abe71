import { expect, test } from 'bun:test';
import { titleOf } from './page-name.ts';

test('the page title starts with the item’s name', () => {
  expect(titleOf('Board', 'Application')).toBe('Board · Application · svc');
  expect(titleOf(' two\nlines ', 'Run')).toBe('two lines · Run · svc');
  expect(titleOf('', 'Keys')).toBe('Keys · svc');
  expect(titleOf('', undefined)).toBe('svc');
});
