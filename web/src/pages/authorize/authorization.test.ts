import { expect, test } from 'bun:test';
import { destinationOf, isLoginAgain, loginAgain } from './authorization.ts';

test('a redirect address is shown as its host or as an app', () => {
  expect(destinationOf('https://app.example/cb?x=1')).toBe('app.example');
  expect(destinationOf('http://127.0.0.1:8765/cb')).toBe('127.0.0.1:8765');
  expect(destinationOf('com.example.app:/cb')).toBe('an app on this device (com.example.app:)');
});

test('recognises the return address of a repeated login', () => {
  const to = new URL(loginAgain('/oauth2/authorize', '?client_id=a%26b&state=x?y', 'sealed'), 'https://svc.example');
  const next = to.searchParams.get('next')!;
  expect(Object.fromEntries(new URLSearchParams(next.slice(next.indexOf('?'))))).toEqual({
    ...{ client_id: 'a&b', state: 'x?y', signed_in_after: 'sealed' },
  });
  expect(isLoginAgain(next)).toBe(true);
  for (const other of [undefined, '', '/', '/keys?signed_in_after=1', '/oauth2/authorize?client_id=a', ['a']])
    expect(isLoginAgain(other)).toBe(false);
});
