import { afterAll, beforeAll, expect, test } from 'bun:test';
import { jsonOf, type OAuthTest, openOAuthTest } from './oauth.fixture.ts';

let t: OAuthTest;
beforeAll(async () => {
  t = await openOAuthTest();
});
afterAll(() => t.close());

/** Only a database across a wire has round trips; SQLite runs this for the answers alone. */
async function roundTripsOf(call: () => Promise<Response>): Promise<{ trips: number; body: Record<string, string> }> {
  const pool = t.platform.database.sql;
  const original = pool?.unsafe;
  let trips = 0;
  if (pool && original)
    pool.unsafe = ((...args: Parameters<typeof original>) => {
      trips += 1;
      return original.apply(pool, args);
    }) as typeof original;
  try {
    const response = await call();
    expect(response.status).toBe(200);
    return { trips, body: (await jsonOf(response)) as Record<string, string> };
  } finally {
    if (pool && original) pool.unsafe = original;
  }
}

test('exchange and refresh take two round trips at most, introspection and userinfo one', async () => {
  const client = await t.client();
  const code = await t.code(client);
  // Lets the entries of the audit log be written, which is nobody's round trip.
  await (await t.root()).call('/api/oauth2/admin/audit');
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
