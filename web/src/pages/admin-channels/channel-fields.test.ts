import { expect, test } from 'bun:test';
import { bodyOf, emptyChannel, faultsOf, isElsewhere } from './channel-fields.ts';

const filled = { ...emptyChannel, name: 'Mine', provider: 'mine', base_url: 'http://127.0.0.1:1/v1' };

test('reports missing and invalid fields', () => {
  expect(faultsOf(filled)).toEqual({});
  expect(Object.keys(faultsOf(emptyChannel))).toEqual(['name', 'provider', 'base_url']);
  expect(faultsOf({ ...filled, base_url: 'ftp://x' })).toHaveProperty('base_url');
  expect(faultsOf({ ...filled, kind: 'demo', base_url: '' })).toEqual({});
  expect(faultsOf({ ...filled, weight: '' })).toHaveProperty('weight');
});

test('an empty credential is not sent, which keeps the stored one', () => {
  expect(bodyOf(filled)).not.toHaveProperty('credential');
  expect(bodyOf({ ...filled, timeoutSeconds: 1.5 }, filled)).toEqual({ timeout_ms: 1_500 });
  expect(bodyOf({ ...filled, credential: 'sk' }, filled)).toEqual({ credential: 'sk' });
  expect(bodyOf(filled, filled)).toEqual({});
});

test('requires the credential again when the origin, kind or provider changes', () => {
  const moves = [{ base_url: 'https://other.example/v1' }, { kind: 'anthropic' }, { provider: 'other' }];
  for (const move of moves) {
    expect(faultsOf({ ...filled, ...move }, filled)).toHaveProperty('credential');
    expect(faultsOf({ ...filled, ...move, credential: 'sk' }, filled)).toEqual({});
    expect(faultsOf({ ...filled, ...move })).toEqual({});
  }
  expect(faultsOf({ ...filled, base_url: 'http://127.0.0.1:1/v2', name: 'Other' }, filled)).toEqual({});
});

test('a changed address or credential requires a new test, a changed name or weight does not', () => {
  expect(isElsewhere(bodyOf({ ...filled, credential: 'sk' }, filled))).toBe(true);
  expect(isElsewhere(bodyOf({ ...filled, base_url: 'http://127.0.0.1:2/v1' }, filled))).toBe(true);
  expect(isElsewhere(bodyOf({ ...filled, name: 'Other', weight: 3 }, filled))).toBe(false);
});
