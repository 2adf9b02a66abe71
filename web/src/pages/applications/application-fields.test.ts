import { expect, test } from 'bun:test';
import {
  type Application,
  type ApplicationFields,
  bodyOf,
  changesSecret,
  emptyApplication,
  faultsOf,
  fieldsOf,
  losesBadge,
  type OpenidFields,
  redirectUriFault,
} from './application-fields.ts';

test('valid redirect addresses are accepted; others get an error message', () => {
  for (const uri of [
    'https://app.example/cb',
    'http://localhost/cb',
    'http://127.0.0.1:9000/cb',
    'http://[::1]:9000/cb',
    'com.example.app:/oauth',
  ]) {
    expect(redirectUriFault(uri)).toBeUndefined();
  }
  for (const uri of [
    '',
    'app.example/cb',
    'http://app.example/cb',
    'http://127.0.0.1.app.example/cb',
    'http://localhost.app.example/cb',
    'http://localhost:80@app.example/cb',
    'https://app.example/cb#here',
    'https://*.app.example/cb',
    'https://me:secret@app.example/cb',
    'javascript:alert(1)',
    'https://app.example/a b',
  ]) {
    expect(redirectUriFault(uri)).toBeString();
  }
});

test('each redirect address has its own error', () => {
  const fields = { ...emptyApplication, name: 'Notes', redirect_uris: ['https://a.example', 'nowhere'] };
  expect(faultsOf(fields).redirect_uris?.map(Boolean)).toEqual([false, true]);
  expect(faultsOf({ ...fields, redirect_uris: ['https://a.example'] })).toEqual({});
  expect(Object.keys(faultsOf({ ...fields, name: ' ', logo_url: 'logo.png' })).sort()).toEqual([
    'logo_url',
    'name',
    'redirect_uris',
  ]);
});

test('a saved application gives the same request body again', () => {
  const fields = { ...emptyApplication, name: ' Notes ', redirect_uris: [' https://a.example '], scopes: ['email'] };
  const { scopes, redirect_uris, ...body } = bodyOf(fields);
  expect(scopes).toBe('openid email');
  const application = {
    ...body,
    ...{ id: 1, client_id: 'svc_x', status: 1, is_verified: false, verified_by: null, verified_at: null },
    ...{ rate_limit: 1000, created_at: 0, updated_at: 0 },
    redirect_uris: JSON.stringify(redirect_uris),
    allowed_scopes: scopes,
  };
  expect(bodyOf(fieldsOf(application))).toEqual(bodyOf(fields));
});

const keys = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'x' }] };
const application = (changes: Partial<Application> = {}): Application => ({
  ...{ id: 1, name: 'Notes', description: '', homepage_url: '', logo_url: '', client_id: 'svc_x', webhook_url: '' },
  ...{ redirect_uris: '["https://a.example"]', allowed_scopes: 'openid', app_type: 'confidential', rate_limit: 1000 },
  ...{ status: 1, is_verified: true, verified_by: 1, verified_at: 1, created_at: 0, updated_at: 0 },
  ...{ post_logout_redirect_uris: [], jwks: null, jwks_uri: '', ...changes },
});
const edited = (of: Application, changes: Partial<OpenidFields>): ApplicationFields => {
  const fields = fieldsOf(of);
  return { ...fields, openid: { ...fields.openid!, ...changes } };
};

test('only the chosen way of authentication is sent: secret, keys or key address', () => {
  const typed = { jwks: JSON.stringify(keys), jwks_uri: ' https://a.example/keys ' };
  const sent = (proof: OpenidFields['proof']) => bodyOf(edited(application(), { ...typed, proof }));
  expect(sent('secret')).toMatchObject({ jwks: null, jwks_uri: '' });
  expect(sent('keys')).toMatchObject({ jwks: keys, jwks_uri: '' });
  expect(sent('address')).toMatchObject({ jwks: null, jwks_uri: 'https://a.example/keys' });
  expect(sent('keys')).not.toHaveProperty('proof');
  const open = { ...edited(application(), { ...typed, proof: 'keys' }), app_type: 'public' as const };
  expect(bodyOf(open)).toMatchObject({ jwks: null, jwks_uri: '' });
  for (const saved of [
    { jwks: keys, jwks_uri: '' },
    { jwks: null, jwks_uri: 'https://a.example/keys' },
  ])
    expect(bodyOf(fieldsOf(application(saved)))).toMatchObject(saved);
});

test('invalid keys and key addresses are reported only for the chosen way', () => {
  for (const jwks of ['', 'keys', '[]', '{}', '{"keys": {}}'])
    expect(Object.keys(faultsOf(edited(application(), { proof: 'keys', jwks })))).toEqual(['jwks']);
  for (const jwks_uri of ['', 'keys', 'ftp://a.example'])
    expect(Object.keys(faultsOf(edited(application(), { proof: 'address', jwks_uri })))).toEqual(['jwks_uri']);
  expect(faultsOf(edited(application(), { proof: 'secret', jwks: 'keys', jwks_uri: 'keys' }))).toEqual({});
});

test('changing between secret and keys ends the secret and the verification; changing keys does not', () => {
  const [secret, signing] = [application(), application({ jwks: keys })];
  const toKeys = edited(secret, { proof: 'keys', jwks: JSON.stringify(keys) });
  expect([changesSecret(toKeys, secret), losesBadge(toKeys, secret)]).toEqual([true, true]);
  const toSecret = edited(signing, { proof: 'secret' });
  expect([changesSecret(toSecret, signing), losesBadge(toSecret, signing)]).toEqual([true, true]);
  const moved = edited(signing, { proof: 'address', jwks_uri: 'https://a.example/keys' });
  expect([changesSecret(moved, signing), losesBadge(moved, signing)]).toEqual([false, false]);
});
