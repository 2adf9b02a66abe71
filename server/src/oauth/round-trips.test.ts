import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test';
import { holdTime } from '../lib/held-time.fixture.ts';
import { PostgresPool } from '../platform/db/postgres-pool.ts';
import { newSigner, signingSteps } from './assertion/assertion.fixture.ts';
import { newProver } from './dpop/dpop.fixture.ts';
import { basic, jsonOf, type OAuthTest, openOAuthTest } from './oauth.fixture.ts';

// What is written later and by itself is nobody's round trip; here later does not come.
holdTime();

let t: OAuthTest;
beforeAll(async () => {
  t = await openOAuthTest();
});
afterAll(() => t.close());

/** Only a database across a wire has round trips; SQLite runs this for the answers alone. */
async function roundTripsOf(call: () => Promise<Response>): Promise<{ trips: number; body: Record<string, string> }> {
  const sent = spyOn(PostgresPool.prototype, 'unsafe');
  try {
    const response = await call();
    expect(response.status).toBe(200);
    const trips = sent.mock.calls.length;
    return { trips, body: (await jsonOf(response)) as Record<string, string> };
  } finally {
    sent.mockRestore();
  }
}

test('exchange and refresh take at most two round trips, introspection and userinfo one', async () => {
  const client = await t.client();
  const code = await t.code(client);
  const seen = t.platform.database.engine === 'postgres' ? [2, 2, 1, 1] : [0, 0, 0, 0];
  const exchanged = await roundTripsOf(() => t.exchange(client, { code }));
  const refreshed = await roundTripsOf(() => t.refresh(client, exchanged.body.refresh_token!));
  const token = refreshed.body.access_token!;
  const authorization = `Basic ${btoa(`${client.clientId}:${client.secret}`)}`;
  const introspected = await roundTripsOf(() => t.post('/api/oauth2/introspect', { token }, { authorization }));
  const told = await roundTripsOf(() => t.userinfo(token));
  expect(introspected.body.active).toEqual(expect.anything());
  expect([exchanged, refreshed, introspected, told].map(({ trips }) => trips)).toEqual(seen);
});

test('a DPoP proof adds one round trip, only for requests with one', async () => {
  await t.setOption('OAuth2OpenIDConnect', true);
  const client = await t.client();
  const prover = await newProver(t);
  const tokenPath = '/api/oauth2/token';
  const seen = t.platform.database.engine === 'postgres' ? [2, 1, 3, 2] : [0, 0, 0, 0];
  // Not `openid`: making the first signing keys takes trips of its own.
  const exchange = async (headers: Record<string, string>) => {
    const code = await t.code(client, { scope: 'profile' });
    const body = { grant_type: 'authorization_code', code, redirect_uri: client.redirectUri };
    return roundTripsOf(() => t.post(tokenPath, body, { authorization: basic(client), ...headers }));
  };
  const plain = await exchange({});
  const plainUse = await roundTripsOf(() => t.userinfo(plain.body.access_token!));
  const bound = await exchange({ dpop: await prover.prove(tokenPath) });
  const token = bound.body.access_token!;
  const proof = await prover.prove('/api/oauth2/userinfo', { method: 'GET', token });
  const authorization = `DPoP ${token}`;
  const boundUse = await roundTripsOf(() =>
    t.call('/api/oauth2/userinfo', { headers: { authorization, dpop: proof } }),
  );
  expect([plain, plainUse, bound, boundUse].map(({ trips }) => trips)).toEqual(seen);
});

test('a client assertion adds two round trips: for its client, and for its single use', async () => {
  await t.setOption('OAuth2OpenIDConnect', true);
  const signer = await newSigner(t);
  const client = await t.client({ jwks: { keys: [signer.jwk] } });
  const steps = signingSteps(t);
  // Not `openid`: making the first signing keys takes trips of its own.
  const code = await t.code(client, { scope: 'profile' });
  const [first, second] = [await signer.signed(client), await signer.signed(client)];
  const exchanged = await roundTripsOf(() => steps.exchange(client, code, first));
  const refreshed = await roundTripsOf(() => steps.refresh(exchanged.body.refresh_token!, second));
  const seen = t.platform.database.engine === 'postgres' ? [4, 4] : [0, 0];
  expect([exchanged, refreshed].map(({ trips }) => trips)).toEqual(seen);
});
