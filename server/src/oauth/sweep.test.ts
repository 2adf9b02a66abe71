import { afterAll, beforeAll, expect, test } from 'bun:test';
import { faultOf, jsonOf, type OAuthTest, openOAuthTest } from './oauth.fixture.ts';
import { openSweep } from './sweep.ts';

let t: OAuthTest;
beforeAll(async () => {
  t = await openOAuthTest();
});
afterAll(() => t.close());

type Table =
  | 'oauth_codes'
  | 'oauth_tokens'
  | 'oauth_consents'
  | 'oauth_pushed_requests'
  | 'oauth_device_codes'
  | 'oauth_proofs';
const count = async (table: Table) =>
  Number(
    (
      await t.platform.database.db
        .selectFrom(table)
        .select((e) => e.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow()
    ).n,
  );
const sweeper = () => openSweep({ db: t.platform.database.db, clock: t.clock });

test('deletes expired rows in several steps and keeps valid ones', async () => {
  const run = sweeper();
  const client = await t.client();
  const tokens = await t.tokens(client);
  const { db } = t.platform.database;
  const now = Math.floor(t.clock.nowMs() / 1000);
  const old = Array.from({ length: 1200 }, (_, i) => ({
    code_hash: `old-${i}`,
    application_id: client.id,
    user_id: t.member.id,
    redirect_uri: 'https://x.example',
    scope: 'openid',
    epoch: 0,
    created_at: now - 200_000,
    expires_at: now - 100_000,
  }));
  for (let i = 0; i < old.length; i += 400)
    await db
      .insertInto('oauth_codes')
      .values(old.slice(i, i + 400))
      .execute();
  expect(await run()).toBe(1200);
  expect([await count('oauth_codes'), await count('oauth_tokens')]).toEqual([1, 1]);
  const next = await jsonOf(t.refresh(client, tokens.refresh_token));

  t.clock.advance(2_592_000_000);
  await run();
  expect([await count('oauth_codes'), await count('oauth_tokens'), await count('oauth_consents')]).toEqual([0, 0, 1]);
  expect(await faultOf(t.refresh(client, next.refresh_token))).toEqual([400, 'invalid_grant']);
});

test('expired tokens are found behind long-lived ones', async () => {
  const { db } = t.platform.database;
  const now = Math.floor(t.clock.nowMs() / 1000);
  const long = now + 1_000_000;
  const row = (id: number) => ({
    id,
    family: id,
    application_id: 1,
    user_id: t.member.id,
    access_hash: `a-${id}`,
    access_scope: 'openid',
    access_expires_at: now,
    access_revoked: 0,
    refresh_hash: `r-${id}`,
    scope: 'openid',
    // Every third has run out, among others that have not; and none of the first 250.
    expires_at: id > 250 && id % 3 === 0 ? now : long,
    revoked: 0,
    epoch: 0,
    created_at: now,
  });
  const rows = Array.from({ length: 900 }, (_, i) => row(i + 1));
  for (let i = 0; i < rows.length; i += 300)
    await db
      .insertInto('oauth_tokens')
      .values(rows.slice(i, i + 300))
      .execute();
  const run = sweeper();
  const left = rows.filter((one) => one.expires_at === long).length;
  await run();
  expect(await count('oauth_tokens')).toBe(left);
  await db.updateTable('oauth_tokens').set({ expires_at: now }).where('id', 'in', [1, 899]).execute();
  await run();
  expect(await count('oauth_tokens')).toBe(left - 2);
  await db.deleteFrom('oauth_tokens').where('id', '<=', 900).execute();
});

test('an access token that outlives its refresh token is kept until it has expired too', async () => {
  const own = await openOAuthTest();
  await own.app.setOption('OAuth2RefreshTokenTTL', 60);
  const client = await own.client();
  const { access_token, refresh_token, expires_in } = await own.tokens(client);
  const run = openSweep({ db: own.platform.database.db, clock: own.clock });
  own.clock.advance(61_000);
  await run();
  expect(await faultOf(own.refresh(client, refresh_token))).toEqual([400, 'invalid_grant']);
  expect((await own.userinfo(access_token)).status).toBe(200);
  expect((await own.introspect(client, access_token)).active).toBe(true);
  own.clock.advance(expires_in * 1000);
  await run();
  expect(await own.platform.database.db.selectFrom('oauth_tokens').select('id').execute()).toEqual([]);
  await own.close();
});

test('pushed requests, device codes and proofs are deleted once they are no longer usable', async () => {
  const { db } = t.platform.database;
  const now = Math.floor(t.clock.nowMs() / 1000);
  const times = [now, now - 3_600, now + 60];
  const common = (expires_at: number) => ({ application_id: 1, created_at: now, expires_at });
  await db
    .insertInto('oauth_pushed_requests')
    .values(times.map((at) => ({ ...common(at), uri_hash: `u${at}`, request: '{}' })))
    .execute();
  await db
    .insertInto('oauth_device_codes')
    .values(
      times.map((at) => ({
        ...common(at),
        ...{ device_hash: `d${at}`, user_code_hash: `c${at}`, scope: 'openid' },
        ...{ openid: 0, epoch: 0, interval_seconds: 5 },
      })),
    )
    .execute();
  await db
    .insertInto('oauth_proofs')
    .values(times.map((expires_at) => ({ expires_at, proof_hash: `p${expires_at}` })))
    .execute();
  await sweeper()();
  // A device is told for an hour that its code has expired.
  const left = [await count('oauth_pushed_requests'), await count('oauth_device_codes'), await count('oauth_proofs')];
  expect(left).toEqual([1, 2, 1]);
});

test('last-used times are written when the service stops', async () => {
  const own = await openOAuthTest();
  const client = await own.client();
  const { access_token } = await own.tokens(client);
  await own.userinfo(access_token);
  const { db } = own.platform.database;
  const read = () => db.selectFrom('oauth_tokens').select('last_used_at').executeTakeFirstOrThrow();
  expect((await read()).last_used_at).toBeNull();
  await own.app.app.stop();
  expect((await read()).last_used_at).toBe(Math.floor(own.clock.nowMs() / 1000));
  const kinds = await db
    .selectFrom('audit_log')
    .select('action')
    .where('target_type', '=', 'application')
    .orderBy('id')
    .execute();
  expect(kinds.map((row) => row.action)).toEqual(['app_created', 'authorization_granted', 'token_issued']);
  await own.close();
});
