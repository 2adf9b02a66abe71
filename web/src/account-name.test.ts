import { expect, test } from 'bun:test';
import { calledOf, isOrganisation, kindOf } from './account-name.ts';

test('an organisation account is shown by its display name, a user by the username', () => {
  const acme = { username: 'organisation:0a1b2c3d', display_name: 'Acme' };
  const ulf = { username: 'organisation', display_name: 'Ulf' };
  expect([acme, ulf].map(isOrganisation)).toEqual([true, false]);
  expect([acme, ulf].map(calledOf)).toEqual(['Acme', 'organisation']);
  expect([acme, ulf].map(kindOf)).toEqual(['Organisation', 'organisation']);
});
