/** Pushed requests, codes of devices and tokens bound to a key, as a library uses them, against a running server. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import * as openid from 'openid-client';
import { type Caller, type Service, startService } from './service.ts';

const callback = 'https://client.example/callback';

let service: Service;
let user: Caller;
beforeAll(async () => {
  service = await startService({ env: { OPENID_CONNECT: '1' } });
  user = await service.user();
});
afterAll(() => service.stop());

async function configure(fields: Record<string, unknown> = {}): Promise<openid.Configuration> {
  const { client_id, client_secret_plain } = await user.api<{ client_id: string; client_secret_plain: string }>(
    '/api/oauth2/applications',
    {
      method: 'POST',
      body: { name: 'A client', redirect_uris: [callback], scopes: 'openid profile', ...fields },
    },
  );
  const authentication = client_secret_plain ? openid.ClientSecretBasic(client_secret_plain) : openid.None();
  return openid.discovery(new URL(service.url), client_id, undefined, authentication, {
    execute: [openid.allowInsecureRequests],
  });
}

/** What the consent page does when the user approves. */
async function approve(authorization: URL): Promise<URL> {
  const { response_type: _, ...request } = Object.fromEntries(authorization.searchParams);
  await user.api(`/api/oauth2/authorize${authorization.search}`);
  const body = { ...request, approved: true };
  const { redirect_url } = await user.api<{ redirect_url: string }>('/api/oauth2/authorize', { method: 'POST', body });
  return new URL(redirect_url);
}

const faultOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => null,
    (error: { error?: string; cause?: { error?: string }[] }) => error.error ?? error.cause,
  );

test.each(['ES256', 'RS256', 'Ed25519'])(
  'a pushed authorization request and DPoP-bound tokens work with a %s key',
  async (alg) => {
    const config = await configure({
      ...{ app_type: 'public', require_pushed_requests: true, dpop_bound_access_tokens: true },
    });
    const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair(alg));
    const [verifier, state, nonce] = [openid.randomPKCECodeVerifier(), openid.randomState(), openid.randomNonce()];
    const parameters = {
      ...{ redirect_uri: callback, scope: 'openid profile', state, nonce },
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    const authorization = await openid.buildAuthorizationUrlWithPAR(config, parameters, { DPoP });
    expect([...authorization.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri']);
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
    const tokens = await openid.authorizationCodeGrant(config, await approve(authorization), checks, undefined, {
      DPoP,
    });
    expect(tokens.token_type).toBe('dpop');
    const { sub } = tokens.claims()!;
    expect((await openid.fetchUserInfo(config, tokens.access_token, sub, { DPoP })).sub).toBe(sub);
    const stranger = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair());
    expect(await faultOf(openid.refreshTokenGrant(config, tokens.refresh_token!, undefined, { DPoP: stranger }))).toBe(
      'invalid_grant',
    );
    const next = await openid.refreshTokenGrant(config, tokens.refresh_token!, undefined, { DPoP });
    expect(next.token_type).toBe('dpop');
    // Without the key it opens nothing.
    expect(await faultOf(openid.fetchUserInfo(config, next.access_token, sub))).not.toBeNull();
    expect((await openid.fetchUserInfo(config, next.access_token, sub, { DPoP })).sub).toBe(sub);
  },
);

test('a device signs in with a code that the user enters elsewhere', async () => {
  const config = await configure();
  const given = await openid.initiateDeviceAuthorization(config, { scope: 'openid profile' });
  expect(given).toMatchObject({ verification_uri: `${service.url}/device`, expires_in: 600, interval: 5 });
  const { user_code } = given;
  await user.api(`/api/oauth2/device?${new URLSearchParams({ user_code })}`);
  await user.api('/api/oauth2/device', { method: 'POST', body: { user_code, approved: true } });
  // Answered by now: nothing has to be waited for.
  const tokens = await openid.pollDeviceAuthorizationGrant(config, { ...given, interval: 0.1 });
  expect(tokens.claims()).toMatchObject({ iss: service.url, sub: `${user.id}` });
  const info = await openid.fetchUserInfo(config, tokens.access_token, `${user.id}`);
  expect(info.sub).toBe(`${user.id}`);
  const denied = await openid.initiateDeviceAuthorization(config, { scope: 'openid' });
  const no = { user_code: denied.user_code, approved: false };
  await user.api('/api/oauth2/device', { method: 'POST', body: no });
  expect(await faultOf(openid.pollDeviceAuthorizationGrant(config, { ...denied, interval: 0.1 }))).toBe(
    'access_denied',
  );
});
