/** Client libraries as applications use them, against a running server: code with PKCE, refresh, userinfo, revocation. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { Strategy } from 'passport-oauth2';
import { AuthorizationCode } from 'simple-oauth2';
import { type Caller, type Service, startService } from './service.ts';

const callback = 'https://client.example/callback';
const scope = 'openid profile email';

interface Registered {
  client_id: string;
  client_secret_plain: string;
}

let service: Service;
let user: Caller;
beforeAll(async () => {
  service = await startService();
  user = await service.user();
});
afterAll(() => service.stop());

const register = (app_type: 'confidential' | 'public'): Promise<Registered> =>
  user.api<Registered & Record<string, unknown>>('/api/oauth2/applications', {
    method: 'POST',
    body: { name: `A ${app_type} client`, redirect_uris: [callback], scopes: scope, app_type },
  });

/** What the consent page does when the user approves: returns the address the browser is sent back to. */
async function approve(authorizationUrl: string | URL): Promise<URL> {
  const url = new URL(authorizationUrl);
  expect(url.origin + url.pathname).toBe(`${service.url}/oauth2/authorize`);
  await user.api(`/api/oauth2/authorize${url.search}`);
  const { response_type: _, ...request } = Object.fromEntries(url.searchParams);
  const { redirect_url } = await user.api<{ redirect_url: string }>('/api/oauth2/authorize', {
    method: 'POST',
    body: { ...request, approved: true },
  });
  return new URL(redirect_url);
}

const userinfoStatus = async (token: string): Promise<number> =>
  (await fetch(`${service.url}/api/oauth2/userinfo`, { headers: { authorization: `Bearer ${token}` } })).status;

const openidWays: [string, (secret: string) => openid.ClientAuth][] = [
  ['client_secret_basic', openid.ClientSecretBasic],
  ['client_secret_post', openid.ClientSecretPost],
];

test.each(openidWays)('openid-client signs in with %s', async (_, authenticate) => {
  const { client_id, client_secret_plain: secret } = await register('confidential');
  const config = await openid.discovery(new URL(service.url), client_id, undefined, authenticate(secret), {
    execute: [openid.allowInsecureRequests],
  });
  const verifier = openid.randomPKCECodeVerifier();
  const state = openid.randomState();
  const authorization = openid.buildAuthorizationUrl(config, {
    redirect_uri: callback,
    scope,
    state,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const returned = await approve(authorization);
  const tokens = await openid.authorizationCodeGrant(config, returned, {
    pkceCodeVerifier: verifier,
    expectedState: state,
  });
  expect(tokens.scope).toBe(scope);
  const claims = await openid.fetchUserInfo(config, tokens.access_token, `${user.id}`);
  expect(claims.sub).toBe(`${user.id}`);
  const inspected = await openid.tokenIntrospection(config, tokens.access_token).catch(() => null);
  // Introspection takes Basic authentication only.
  expect(inspected?.active ?? null).toBe(authenticate === openid.ClientSecretBasic ? true : null);
  const next = await openid.refreshTokenGrant(config, tokens.refresh_token!);
  expect(await userinfoStatus(tokens.access_token)).toBe(401);
  await openid.tokenRevocation(config, next.refresh_token!);
  expect(await userinfoStatus(next.access_token)).toBe(401);
  await expect(openid.refreshTokenGrant(config, next.refresh_token!)).rejects.toMatchObject({ error: 'invalid_grant' });
});

test('oauth4webapi signs in as a public client', async () => {
  const { client_id } = await register('public');
  const insecure = { [oauth.allowInsecureRequests]: true };
  const issuer = new URL(service.url);
  const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
  const server = await oauth.processDiscoveryResponse(issuer, found);
  expect(server.authorization_response_iss_parameter_supported).toBe(true);
  const client: oauth.Client = { client_id };
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const authorization = new URL(server.authorization_endpoint!);
  const challenge = await oauth.calculatePKCECodeChallenge(verifier);
  for (const [name, value] of Object.entries({
    response_type: 'code',
    client_id,
    redirect_uri: callback,
    scope,
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  }))
    authorization.searchParams.set(name, value);
  const parameters = oauth.validateAuthResponse(server, client, await approve(authorization), state);
  const none = oauth.None();
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    none,
    parameters,
    callback,
    verifier,
    insecure,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer);
  const info = await oauth.userInfoRequest(server, client, tokens.access_token, insecure);
  expect((await oauth.processUserInfoResponse(server, client, `${user.id}`, info)).sub).toBe(`${user.id}`);
  const refreshed = await oauth.refreshTokenGrantRequest(server, client, none, tokens.refresh_token!, insecure);
  const next = await oauth.processRefreshTokenResponse(server, client, refreshed);
  expect(await userinfoStatus(next.access_token)).toBe(200);
  const revoked = await oauth.revocationRequest(server, client, none, next.refresh_token!, insecure);
  await oauth.processRevocationResponse(revoked);
  expect(await userinfoStatus(next.access_token)).toBe(401);
});

test.each(['header', 'body'])('simple-oauth2 signs in with credentials in the %s', async (authorizationMethod) => {
  const { client_id, client_secret_plain } = await register('confidential');
  const client = new AuthorizationCode({
    client: { id: client_id, secret: client_secret_plain },
    auth: {
      tokenHost: service.url,
      tokenPath: '/api/oauth2/token',
      authorizePath: '/oauth2/authorize',
      revokePath: '/api/oauth2/revoke',
    },
    options: { authorizationMethod },
  });
  const verifier = openid.randomPKCECodeVerifier();
  const authorization = client.authorizeURL({
    redirect_uri: callback,
    scope,
    state: 'a state',
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const returned = await approve(authorization);
  expect(returned.searchParams.get('state')).toBe('a state');
  const code = returned.searchParams.get('code')!;
  const first = await client.getToken({ code, redirect_uri: callback, code_verifier: verifier });
  expect(await userinfoStatus(first.token.access_token)).toBe(200);
  const next = await first.refresh();
  expect(await userinfoStatus(first.token.access_token)).toBe(401);
  expect(await userinfoStatus(next.token.access_token)).toBe(200);
  await next.revokeAll();
  expect(await userinfoStatus(next.token.access_token)).toBe(401);
  await expect(next.refresh()).rejects.toThrow();
});

test('passport-oauth2 signs in', async () => {
  const { client_id, client_secret_plain } = await register('confidential');
  const options = {
    authorizationURL: `${service.url}/oauth2/authorize`,
    tokenURL: `${service.url}/api/oauth2/token`,
    clientID: client_id,
    clientSecret: client_secret_plain,
    callbackURL: callback,
    scope: scope.split(' '),
    state: true,
    pkce: true,
  };
  const strategy = new Strategy(options, (accessToken, refreshToken, _params, _profile, done) =>
    done(null, { accessToken, refreshToken }),
  );
  // One pass of Passport: either it sends the browser away, or it knows the user.
  const session = {};
  const pass = (query: Record<string, string>) =>
    new Promise<unknown>((resolve, reject) => {
      Object.assign(strategy, { redirect: resolve, success: resolve, fail: reject, error: reject });
      strategy.authenticate({ session, query, headers: {}, app: { get: () => undefined }, connection: {} });
    });
  const returned = await approve((await pass({})) as string);
  const tokens = (await pass(Object.fromEntries(returned.searchParams))) as Record<string, string>;

  const agent = strategy._oauth2;
  agent.useAuthorizationHeaderforGET(true);
  const body = await new Promise<string>((resolve, reject) => {
    agent.get(`${service.url}/api/oauth2/userinfo`, tokens.accessToken!, (error, text) =>
      error ? reject(error) : resolve(text),
    );
  });
  expect(JSON.parse(body).sub).toBe(`${user.id}`);
  const [access, refresh] = await new Promise<string[]>((resolve, reject) => {
    agent.getOAuthAccessToken(tokens.refreshToken!, { grant_type: 'refresh_token' }, (error, next, again) =>
      error ? reject(error) : resolve([next, again]),
    );
  });
  expect(await userinfoStatus(access!)).toBe(200);
  expect(await userinfoStatus(tokens.accessToken!)).toBe(401);
  // passport-oauth2 has no revocation of its own.
  await fetch(`${service.url}/api/oauth2/revoke`, { method: 'POST', body: new URLSearchParams({ token: refresh! }) });
  expect(await userinfoStatus(access!)).toBe(401);
});
