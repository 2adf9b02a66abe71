import { expect, test } from 'bun:test';
import { signInFault, startUrl } from './sign-in.ts';

test('faults have words, and what anybody writes into an address has none', () => {
  expect(signInFault('denied')).toContain('cancelled');
  for (const code of [undefined, '', 'Call 555-1234', '__proto__', 'constructor', ['denied']])
    expect(signInFault(code)).toBeNull();
});

test('where to go afterwards is one parameter, whatever it holds', () => {
  expect(startUrl('acme', '/keys?a=1&b=2')).toBe('/api/auth/acme/start?return_to=%2Fkeys%3Fa%3D1%26b%3D2');
});
