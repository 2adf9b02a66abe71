import { expect, test } from 'bun:test';
import { bodyOf, emptyProvider, faultsOf, presets, withPreset } from './provider-fields.ts';

const client = { ...emptyProvider, clientId: 'abc', clientSecret: 'xyz' };

test('a preset fills the form and keeps the entered client', () => {
  for (const { value } of presets.slice(1)) {
    const fields = withPreset(client, value);
    expect(fields).toMatchObject({ clientId: 'abc', clientSecret: 'xyz', slug: value });
    expect(Object.keys(faultsOf(fields))).toEqual(value === 'microsoft' ? ['issuer'] : []);
  }
  expect(withPreset(withPreset(client, 'github'), 'custom')).toMatchObject({ kind: 'openid', issuer: '' });
});

test('only the Google and GitHub presets trust email addresses', () => {
  const trusted = presets.filter(({ value }) => withPreset(client, value).trustEmail).map(({ value }) => value);
  expect(trusted).toEqual(['google', 'github']);
});

test('only OpenID Connect providers can assert user identity', () => {
  expect(bodyOf(client).vouches).toBe(false);
  expect(bodyOf({ ...client, vouches: true }).vouches).toBe(true);
  expect(bodyOf({ ...withPreset(client, 'github'), vouches: true }).vouches).toBe(false);
});

test('the role mapping is read line by line; an empty client secret is not sent', () => {
  const fields = {
    ...withPreset(client, 'google'),
    roleClaim: 'groups',
    roleMap: 'a = b = administrator\n\nstaff=user',
  };
  expect(faultsOf(fields)).toEqual({});
  expect(bodyOf(fields)).toMatchObject({ role_map: { 'a = b': 10, staff: 1 }, client_secret: 'xyz' });
  expect(bodyOf({ ...fields, clientSecret: ' ' })).not.toHaveProperty('client_secret');
  for (const roleMap of ['admins = root', 'admins = constructor'])
    expect(faultsOf({ ...fields, roleMap })).toHaveProperty('roleMap');
  expect(faultsOf({ ...fields, roleClaim: '' })).toHaveProperty('roleClaim');
});
