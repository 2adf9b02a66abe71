import { expect, test } from 'bun:test';
import { bodyOf, emptyApplication, faultsOf, fieldsOf, redirectUriFault } from './application-fields.ts';

test('addresses that lead to an application are taken, others are explained', () => {
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

test('each address is checked on its own', () => {
  const fields = { ...emptyApplication, name: 'Notes', redirect_uris: ['https://a.example', 'nowhere'] };
  expect(faultsOf(fields).redirect_uris?.map(Boolean)).toEqual([false, true]);
  expect(faultsOf({ ...fields, redirect_uris: ['https://a.example'] })).toEqual({});
  expect(Object.keys(faultsOf({ ...fields, name: ' ', logo_url: 'logo.png' })).sort()).toEqual([
    'logo_url',
    'name',
    'redirect_uris',
  ]);
});

test('what is sent is what the service gives back', () => {
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
