import { expect, test } from 'bun:test';
import { signInFault, startUrl } from './sign-in.ts';

test('known error codes have a message; unknown ones are ignored', () => {
  expect(signInFault('denied')).toContain('cancelled');
  for (const code of [undefined, '', 'Call 555-1234', '__proto__', 'constructor', ['denied']])
    expect(signInFault(code)).toBeNull();
});

test('the return path is encoded as one parameter', () => {
  expect(startUrl('acme', '/keys?a=1&b=2')).toBe('/api/auth/acme/start?return_to=%2Fkeys%3Fa%3D1%26b%3D2');
});
