import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { exportJWK, generateKeyPair } from 'jose';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { openSealer } from '../lib/seal.ts';
import { until } from '../lib/until.fixture.ts';
import { resealJobs } from '../platform/durable/job-store.ts';
import { keyEntry } from '../platform/sealing-keys.ts';
import { administration } from './mcp.fixture.ts';
import { type SignedInServer, startSignedIn } from './signed-in.fixture.ts';

/* What users let us do at a server is given back there when it is forgotten here (RFC 7009). */

let t: TestApp;
let root: Member;
let server: SignedInServer;
let count = 0;

beforeAll(async () => {
  t = await openTestApp({ env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  await t.setOption('RateLimitEnabled', false);
  root = await t.root();
  await t.app.start();
});
beforeEach(() => {
  server = startSignedIn();
  server.revocation = { status: 200, asked: [], signed: [] };
});
afterEach(() => server.stop());
afterAll(() => t.close());

async function connect(fields: object = {}): Promise<number> {
  count += 1;
  return (await administration(root).connect(`g${count}`, server.url, { auth: 'oauth', ...fields })).id;
}
async function signIn(id: number, by: Member, as: string): Promise<void> {
  const begun = await by.call(`/api/mcp/servers/${id}/authorize`, { method: 'POST' });
  const { data } = (await begun.json()) as { data: { authorization_url: string } };
  const state = new URL(data.authorization_url).searchParams.get('state')!;
  const back = await by.call(`/api/mcp/authorized?${new URLSearchParams({ state, code: as })}`);
  expect(back.headers.get('location')).toContain('?signed_in=');
}
const forget = async (id: number, by: Member): Promise<void> => {
  expect((await by.call(`/api/mcp/servers/${id}/authorize`, { method: 'DELETE' })).status).toBe(200);
};
const tokens = (): (string | null)[] => server.revocation!.asked.map((asked) => asked.get('token')).toSorted();
/** No token is on its way any more. */
const settled = (): Promise<void> =>
  until('no token is on its way', async () => !((await t.platform.jobs.depth())['mcp.revoke'] ?? 0));

test('removing a sign-in revokes its refresh token, and nothing of other users', async () => {
  const [id, user] = [await connect(), await t.user()];
  await signIn(id, root, 'root');
  await signIn(id, user, 'alice');
  await forget(id, user);
  await until('they come back', () => tokens().length === 1);
  expect(Object.fromEntries(server.revocation!.asked[0]!)).toEqual({
    ...{ token: 'refresh-alice', token_type_hint: 'refresh_token', client_id: 'client-2' },
  });
});

test('removing or moving a server revokes the tokens of all who signed in to it', async () => {
  const user = await t.user();
  for (const [leave, suffix] of [
    [(id: number) => administration(root).send('DELETE', `/${id}`), 'a'],
    [(id: number) => administration(root).send('PUT', `/${id}`, { url: 'https://elsewhere.example/mcp' }), 'b'],
  ] as const) {
    const id = await connect();
    await signIn(id, root, `root-${suffix}`);
    await signIn(id, user, `alice-${suffix}`);
    await leave(id);
  }
  await until('they come back', () => tokens().length === 4);
  expect(tokens()).toEqual(['refresh-alice-a', 'refresh-alice-b', 'refresh-root-a', 'refresh-root-b']);
});

test('a sign-in can be removed when the server is disabled or no longer shared; other users have none to remove', async () => {
  const [id, user, stranger] = [await connect(), await t.user(), await t.user()];
  await signIn(id, user, 'grace');
  await administration(root).send('PUT', `/${id}`, { enabled: false, audience: 'administrators' });
  expect((await stranger.call(`/api/mcp/servers/${id}/authorize`, { method: 'DELETE' })).status).toBe(404);
  await forget(id, user);
  await until('they come back', () => tokens().length === 1);
  expect((await user.call(`/api/mcp/servers/${id}/authorize`, { method: 'DELETE' })).status).toBe(404);
});

test('deleting a user revokes their tokens', async () => {
  const [id, user] = [await connect(), await t.user()];
  await signIn(id, user, 'bob');
  await t.app.mcp.forgetUser(user.id);
  await until('they come back', () => tokens().length === 1);
  expect(tokens()).toEqual(['refresh-bob']);
});

test('a manually registered client authenticates the revocation by secret or key', async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  server.keys = { signs: await exportJWK(publicKey) };
  server.byHand = { hushed: 'a secret of ours', signs: '' };
  const bySecret = await connect({ client_id: 'hushed', client_secret: 'a secret of ours' });
  const byKey = await connect({ client_id: 'signs', client_key: JSON.stringify(await exportJWK(privateKey)) });
  for (const [id, as] of [
    [bySecret, 'one'],
    [byKey, 'two'],
  ] as const) {
    await signIn(id, root, as);
    await forget(id, root);
  }
  await until('they come back', () => tokens().length === 2);
  expect(tokens()).toEqual(['refresh-one', 'refresh-two']);
  expect(server.revocation!.signed).toContain(`Basic ${btoa('hushed:a%20secret%20of%20ours')}`);
  expect(server.revocation!.asked.some((asked) => asked.has('client_assertion'))).toBe(true);
});

test("the revocation endpoint is also read from OpenID Connect metadata; another issuer's is not used", async () => {
  server.openId = true;
  const id = await connect();
  await signIn(id, root, 'carol');
  await forget(id, root);
  await until('they come back', () => tokens().length === 1);
  await signIn(id, root, 'dave');
  server.claims = { issuer: 'https://elsewhere.example' };
  await forget(id, root);
  await settled();
  expect(tokens()).toEqual(['refresh-carol']);
});

test('an unreachable authorization server does not delay each of its tokens', async () => {
  const id = await connect();
  const users = await Promise.all(Array.from({ length: 12 }, () => t.user()));
  for (const user of users) await signIn(id, user, `away-${user.id}`);
  server.revocation!.status = 503;
  await administration(root).send('DELETE', `/${id}`);
  await until('they come back', () => tokens().length > 0);
  await Bun.sleep(1_000);
  // Those that were on their way together.
  expect(tokens().length).toBeLessThanOrEqual(4);
  server.revocation!.status = 200;
  await until('they come back', () => new Set(tokens()).size === 12);
  await settled();
});

test('a client secret that cannot be decrypted does not block removal', async () => {
  server.byHand = { hushed: 'a secret of ours' };
  const id = await connect({ client_id: 'hushed', client_secret: 'a secret of ours' });
  await signIn(id, root, 'heidi');
  await t.platform.database.db
    .updateTable('mcp_servers')
    .set({ client_secret: 'sealed with a key that is gone' })
    .where('id', '=', id)
    .execute();
  await t.app.mcp.room.known.changed(id);
  await forget(id, root);
  await settled();
  expect(tokens()).toEqual([]);
});

test('an unreachable provider does not block removal and is retried; a refusal is not', async () => {
  const id = await connect();
  await signIn(id, root, 'erin');
  server.revocation!.status = 503;
  await forget(id, root);
  await until('they come back', () => tokens().length === 1);
  expect((await t.platform.jobs.depth())['mcp.revoke']).toBe(1);
  const rows = await t.platform.database.db.selectFrom('jobs').selectAll().execute();
  expect(JSON.stringify(rows)).not.toContain('erin');
  server.revocation!.status = 200;
  await until('they come back', () => tokens().length === 2);
  await settled();
  await signIn(id, root, 'frank');
  server.revocation!.status = 400;
  await forget(id, root);
  await until('they come back', () => tokens().length === 3);
  await settled();
  expect(tokens().filter((token) => token === 'refresh-frank')).toHaveLength(1);
});

test('a pending revocation survives rotating the encryption key', async () => {
  const id = await connect();
  await signIn(id, root, 'grace');
  server.revocation!.status = 503;
  await forget(id, root);
  await until('it was tried', () => tokens().length === 1);
  const { db } = t.platform.database;
  const newKey = keyEntry(new Uint8Array(32).fill(7));
  expect(await resealJobs(db, openSealer({ keys: [newKey, ...t.platform.sealingKeys] }).reseal)).toBe(1);
  const { data } = await db
    .selectFrom('jobs')
    .select('data')
    .where('queue', '=', 'mcp.revoke')
    .executeTakeFirstOrThrow();
  const { sealed } = JSON.parse(data) as { sealed: string };
  expect(openSealer({ keys: [newKey] }).open(sealed)).toContain('refresh-grace');
});
