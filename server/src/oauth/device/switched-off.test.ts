import { expect, test } from 'bun:test';
import { basic, faultOf, openOAuthTest } from '../oauth.fixture.ts';
import { deviceGrant } from './codes.ts';

test('without OpenID Connect, the device flow is not available', async () => {
  const off = await openOAuthTest();
  const of = await off.client();
  expect((await off.post('/api/oauth2/device_authorization', { client_id: of.clientId })).status).toBe(404);
  expect((await off.member.call('/api/oauth2/device?user_code=BCDF-GHJK')).status).toBe(404);
  expect((await off.member.call('/api/oauth2/device', { method: 'POST', body: {} })).status).toBe(404);
  const asked = off.post(
    '/api/oauth2/token',
    { grant_type: deviceGrant, device_code: 'x' },
    { authorization: basic(of) },
  );
  expect(await faultOf(asked)).toEqual([400, 'unsupported_grant_type']);
  await off.close();
});
