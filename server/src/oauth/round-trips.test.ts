import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test';
import { holdTime } from '../lib/held-time.fixture.ts';
import { PostgresPool } from '../platform/db/postgres-pool.ts';
import { jsonOf, type OAuthTest, openOAuthTest } from './oauth.fixture.ts';

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

test('exchange and refresh take two round trips at most, introspection and userinfo one', async () => {
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
