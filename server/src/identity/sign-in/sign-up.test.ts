import { expect, test } from 'bun:test';
import { usernameRule } from '../user.ts';
import { usernamesFor } from './sign-up.ts';

const cases: [names: string[], username: string][] = [
  [['ann'], 'ann'],
  [['Zoë Müller'], 'Zoe-Muller'],
  [['..--ann.lee--..'], 'ann.lee'],
  [['x', 'ann@acme.example'], 'ann-acme.example'],
  [['李', '--', ''], 'user'],
  [[], 'user'],
  [['a'.repeat(500_000)], 'a'.repeat(23)],
  [['-'.repeat(500_000)], 'user'],
];
test.each(cases)('username for %p', (names, username) => {
  const wanted = usernamesFor(names);
  expect(wanted[0]).toBe(username);
  expect(new Set(wanted).size).toBe(wanted.length);
  for (const one of wanted) expect(usernameRule.safeParse(one).success).toBe(true);
});
