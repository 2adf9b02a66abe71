import { expect, test } from 'bun:test';
import { has, type MemberRole, mayGive, memberRoles, type Right, rights } from './rights.ts';

/** Who may do what, written down a second time: a change of one must be meant. */
const table: Record<Right, string> = {
  see: 'owner admin member viewer',
  see_all: 'owner admin viewer',
  use: 'owner admin member',
  manage_keys: 'owner admin',
  manage_teams: 'owner admin',
  manage_tools: 'owner admin',
  manage_members: 'owner admin',
  manage_budgets: 'owner admin',
  manage_organisation: 'owner',
};

test.each(Object.entries(table) as [Right, string][])('%s is allowed for %s', (right, allowed) => {
  expect(memberRoles.filter((role) => has(role, right)).join(' ')).toBe(allowed);
});

test('every right is in the table', () => {
  expect(Object.keys(rights).sort()).toEqual(Object.keys(table).sort());
});

test('only owners appoint, change and remove owners', () => {
  const others = memberRoles.filter((role) => role !== 'owner');
  const roles: (MemberRole | null)[] = [...memberRoles, null];
  for (const before of roles) for (const after of roles) expect(mayGive('owner', before, after)).toBe(true);
  for (const acting of others) {
    for (const role of roles) {
      expect(mayGive(acting, 'owner', role)).toBe(false);
      expect(mayGive(acting, role, 'owner')).toBe(false);
    }
    for (const before of others) for (const after of others) expect(mayGive(acting, before, after)).toBe(true);
  }
});
