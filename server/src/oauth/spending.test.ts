import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { openPayingTest, type PayingTest } from './paying.fixture.ts';
import { allowanceOf } from './spending.ts';

let t: PayingTest;
beforeAll(async () => {
  t = await openPayingTest();
});
afterAll(() => t.close());

test('a request in progress does not reopen the budget of a suspended application', async () => {
  const client = await t.payingClient();
  const { access_token } = await t.mayPay(client, 100);
  const deps = { db: t.platform.database.db, clock: t.clock };
  const opened = () => allowanceOf(deps, t.member.id, { id: client.id, name: 'Agent' });
  const first = await opened();
  expect(first).not.toBeNull();
  expect((await t.ask(access_token)).status).toBe(200);
  await t.act('suspend', client.id);
  expect(await opened()).toBeNull();
  // Nor by activating it: the user is asked again, and then what was spent counts.
  await t.act('activate', client.id);
  expect(await opened()).toBeNull();
  const again = await t.tokens(client, { scope: 'openid models:use' });
  expect(await opened()).toMatchObject({ keyId: first!.keyId });
  expect((await t.ask(again.access_token)).status).toBe(200);
  expect((await t.consentOf(client)).spent).toBe(10);
});

test('concurrent callers open the same budget', async () => {
  const client = await t.payingClient();
  await t.mayPay(client, 100);
  const deps = { db: t.platform.database.db, clock: t.clock };
  const opened = Array.from({ length: 20 }, () => allowanceOf(deps, t.member.id, { id: client.id, name: 'Agent' }));
  const ids = new Set((await Promise.all(opened)).map((one) => one?.keyId));
  expect([...ids]).toEqual([expect.any(Number)]);
});

test('a limit changes only together with the approval that sets it', async () => {
  const client = await t.payingClient();
  const first = await t.mayPay(client, 100);
  expect((await t.ask(first.access_token)).status).toBe(200);
  const { db } = t.platform.database;
  const limits = async () => {
    const consent = db.selectFrom('oauth_consents').select(['id', 'spending_limit', 'spending_window']);
    const { id, ...limit } = await consent.where('application_id', '=', client.id).executeTakeFirstOrThrow();
    const key = db.selectFrom('api_keys').select('remain_quota').where('key_hash', '=', `consent:${id}`);
    return { ...limit, ...(await key.executeTakeFirstOrThrow()) };
  };
  const before = await limits();
  // The code cannot be written.
  await sql`alter table oauth_codes rename to oauth_codes_away`.execute(db);
  try {
    await expect(t.mayPay(client, 900)).rejects.toThrow();
  } finally {
    await sql`alter table oauth_codes_away rename to oauth_codes`.execute(db);
  }
  expect(await limits()).toEqual(before);
  await t.mayPay(client, 900);
  expect(await limits()).toMatchObject({ spending_limit: 900, spending_window: 'total' });
  // The rest depends on what the process had set apart.
  expect(Number((await limits()).remain_quota)).toBeGreaterThan(800);
  expect((await t.consentOf(client)).spent).toBe(5);
});
