import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { cookieName, readCookie } from './sessions.ts';

const token = fc.stringMatching(/^[A-Za-z0-9_-]{1,60}$/);
const otherCookie = fc
  .tuple(fc.stringMatching(/^[a-z_]{1,20}$/), fc.stringMatching(/^[^;\s]{0,30}$/))
  .filter(([name]) => name !== cookieName)
  .map(([name, value]) => `${name}=${value}`);

test('the session cookie is found among any others', () => {
  fc.assert(
    fc.property(fc.array(otherCookie), token, fc.array(otherCookie), (before, value, after) => {
      expect(readCookie([...before, `${cookieName}=${value}`, ...after].join('; '))).toBe(value);
    }),
  );
});

test('no other cookie is taken for the session cookie', () => {
  fc.assert(
    fc.property(fc.array(otherCookie), (others) => {
      expect(readCookie(others.join('; '))).toBeNull();
    }),
  );
  for (const header of [null, '', ';', '=', `${cookieName}`, `${cookieName}x`, `${cookieName}=`, `x${cookieName}=1`])
    expect(readCookie(header)).toBeNull();
});

test('any header text is parsed without an error', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (header) => void readCookie(header)));
});
