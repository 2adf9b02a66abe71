/** OpenID Connect as a library uses it, against a running server: discovery, sign-in, ID token, refresh, userinfo, logout. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { exportJWK, generateKeyPair } from 'jose';
import * as openid from 'openid-client';
import { type Caller, type Service, startService } from './service.ts';

const callback = 'https://client.example/callback';
const bye = 'https://client.example/bye';

let service: Service;
let user: Caller;
beforeAll(async () => {
  service = await startService({ env: { OPENID_CONNECT: '1' } });
  user = await service.user();
});
afterAll(() => service.stop());

/** What the consent page does when the user approves. */
async function approve(authorization: URL): Promise<URL> {
  const { response_type: _, ...request } = Object.fromEntries(authorization.searchParams);
  await user.api(`/api/oauth2/authorize${authorization.search}`);
  const body = { ...request, approved: true };
  const { redirect_url } = await user.api<{ redirect_url: string }>('/api/oauth2/authorize', { method: 'POST', body });
  return new URL(redirect_url);
}

/** The one step that only the user's browser takes, and both of the client's around it. */
async function signIn(config: openid.Configuration) {
  const [verifier, state] = [openid.randomPKCECodeVerifier(), openid.randomState()];
  const request = {
    ...{ redirect_uri: callback, scope: 'openid profile', state, code_challenge_method: 'S256' },
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
  };
  const back = await approve(openid.buildAuthorizationUrl(config, request));
  return openid.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier, expectedState: state });
}

test.each(['RS256', 'ES256'])('openid-client signs in with ID tokens signed by %s', async (alg) => {
  const { client_id, client_secret_plain } = await user.api<{ client_id: string; client_secret_plain: string }>(
    '/api/oauth2/applications',
    {
      method: 'POST',
      body: {
        ...{ name: 'A client', redirect_uris: [callback], scopes: 'openid profile email' },
        ...{ post_logout_redirect_uris: [bye], id_token_signed_response_alg: alg },
      },
    },
  );
  const config = await openid.discovery(
    new URL(service.url),
    client_id,
    { client_secret: client_secret_plain, id_token_signed_response_alg: alg },
    undefined,
    // The signature too, which may be left to TLS otherwise.
    { execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks] },
  );
  const [verifier, state, nonce] = [openid.randomPKCECodeVerifier(), openid.randomState(), openid.randomNonce()];
  const authorization = openid.buildAuthorizationUrl(config, {
    ...{ redirect_uri: callback, scope: 'openid profile', state, nonce, max_age: '3600' },
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const tokens = await openid.authorizationCodeGrant(config, await approve(authorization), {
    ...{ pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, maxAge: 3600 },
    idTokenExpected: true,
  });
  const claims = tokens.claims()!;
  expect(claims).toMatchObject({ iss: service.url, sub: `${user.id}`, nonce });
  const next = await openid.refreshTokenGrant(config, tokens.refresh_token!);
  expect(next.claims()).toMatchObject({ sub: claims.sub, sid: claims.sid, auth_time: claims.auth_time });
  const info = await openid.fetchUserInfo(config, next.access_token, claims.sub);
  expect(info.preferred_username).toBe(claims.preferred_username as string);
  const leave = openid.buildEndSessionUrl(config, {
    ...{ id_token_hint: next.id_token!, post_logout_redirect_uri: bye, state: 'over' },
  });
  const left = await fetch(leave, { redirect: 'manual' });
  expect([left.status, left.headers.get('location')]).toEqual([303, `${bye}?state=over`]);
});

test.each(['ES256', 'ES384', 'RS256', 'PS256', 'Ed25519'])(
  'openid-client authenticates with its own %s key, and with no other',
  async (alg) => {
    const [own, other] = [await generateKeyPair(alg), await generateKeyPair(alg)];
    const jwks = { keys: [{ ...(await exportJWK(own.publicKey)), kid: 'own' }] };
    const body = { name: 'A client', redirect_uris: [callback], scopes: 'openid profile', jwks };
    const made = await user.api<{ client_id: string; client_secret_plain: string }>('/api/oauth2/applications', {
      ...{ method: 'POST', body },
    });
    expect(made.client_secret_plain).toBe('');
    const configured = (key: CryptoKey) =>
      openid.discovery(new URL(service.url), made.client_id, undefined, openid.PrivateKeyJwt({ key, kid: 'own' }), {
        execute: [openid.allowInsecureRequests],
      });
    const config = await configured(own.privateKey);
    expect(config.serverMetadata().token_endpoint_auth_methods_supported).toContain('private_key_jwt');
    expect(config.serverMetadata().token_endpoint_auth_signing_alg_values_supported).toContain(alg);
    const tokens = await signIn(config);
    const next = await openid.refreshTokenGrant(config, tokens.refresh_token!);
    expect(await openid.fetchUserInfo(config, next.access_token, `${user.id}`)).toMatchObject({ sub: `${user.id}` });
    expect(await openid.tokenIntrospection(config, next.access_token)).toMatchObject({ active: true });
    const thief = await configured(other.privateKey);
    const refused: unknown = await openid.refreshTokenGrant(thief, next.refresh_token!).catch((error) => error);
    // The library reads no further than the header of a 401.
    expect(refused).toBeInstanceOf(openid.WWWAuthenticateChallengeError);
    const { response } = refused as openid.WWWAuthenticateChallengeError;
    expect([response.status, await response.json()]).toEqual([
      401,
      expect.objectContaining({
        error: 'invalid_client',
        error_description: expect.stringContaining('not signed with'),
      }),
    ]);
    // What the thief tried has ended nothing.
    const last = await openid.refreshTokenGrant(config, next.refresh_token!);
    await openid.tokenRevocation(config, last.refresh_token!);
    expect(await openid.tokenIntrospection(config, last.access_token)).toEqual({ active: false });
    const pushed = await openid.buildAuthorizationUrlWithPAR(config, { redirect_uri: callback, scope: 'openid' });
    expect(pushed.searchParams.get('request_uri')).toStartWith('urn:ietf:params:oauth:request_uri:');
    expect((await openid.initiateDeviceAuthorization(config, { scope: 'openid' })).user_code).toBeString();
  },
);

test('openid-client accepts posted responses and errors', async () => {
  const made = await user.api<{ client_id: string; client_secret_plain: string }>('/api/oauth2/applications', {
    method: 'POST',
    body: { name: 'A client of forms', redirect_uris: [callback], scopes: 'openid profile' },
  });
  const config = await openid.discovery(new URL(service.url), made.client_id, made.client_secret_plain, undefined, {
    execute: [openid.allowInsecureRequests],
  });
  expect(config.serverMetadata().response_modes_supported).toEqual(['query', 'form_post']);
  const [verifier, state] = [openid.randomPKCECodeVerifier(), openid.randomState()];
  const authorization = openid.buildAuthorizationUrl(config, {
    ...{ redirect_uri: callback, scope: 'openid', state, response_mode: 'form_post', code_challenge_method: 'S256' },
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
  });
  const expected = { pkceCodeVerifier: verifier, expectedState: state, idTokenExpected: true };
  const tokens = await openid.authorizationCodeGrant(config, await submitted(await approve(authorization)), expected);
  expect(tokens.claims()!.sub).toBe(`${user.id}`);
  const { response_type: _, ...request } = Object.fromEntries(authorization.searchParams);
  const body = { ...request, approved: false };
  const denied = await user.api<{ redirect_url: string }>('/api/oauth2/authorize', { method: 'POST', body });
  const form = await submitted(new URL(denied.redirect_url));
  const told: unknown = await openid.authorizationCodeGrant(config, form, expected).catch((error) => error);
  expect(told).toBeInstanceOf(openid.AuthorizationResponseError);
  expect((told as openid.AuthorizationResponseError).error).toBe('access_denied');
});

/** The request that a browser sends by itself from our page. */
async function submitted(address: URL): Promise<Request> {
  const fields = new URLSearchParams();
  let action = '';
  await new HTMLRewriter()
    .on('form', {
      element: (form) => {
        action = form.getAttribute('action')!;
      },
    })
    .on('input', { element: (input) => fields.append(input.getAttribute('name')!, input.getAttribute('value')!) })
    .transform(await fetch(address))
    .text();
  return new Request(action, { method: 'POST', body: fields });
}
