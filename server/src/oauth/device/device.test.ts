import { afterAll, beforeAll, expect, test } from 'bun:test';
import { newProver } from '../dpop/dpop.fixture.ts';
import { basic, faultOf, jsonOf, type TestClient } from '../oauth.fixture.ts';
import { type OpenidTest, openOpenidTest } from '../openid/openid.fixture.ts';
import { deviceGrant } from './codes.ts';

const startPath = '/api/oauth2/device_authorization';
const pagePath = '/api/oauth2/device';
const pending: [number, unknown] = [400, 'authorization_pending'];
const slowDown: [number, unknown] = [400, 'slow_down'];
const invalidGrant: [number, unknown] = [400, 'invalid_grant'];
type Fields = Record<string, string | undefined>;
type Caller = Pick<OpenidTest['member'], 'call'>;

let t: OpenidTest;
let client: TestClient;
beforeAll(async () => {
  t = await openOpenidTest();
  client = await t.client();
});
afterAll(() => t.close());

const start = (of: TestClient, fields: Fields = {}, headers: Record<string, string> = {}) =>
  t.post(
    startPath,
    { client_id: of.clientId, client_secret: of.secret || undefined, scope: 'openid profile', ...fields },
    headers,
  );
const started = async (of = client, fields: Fields = {}) => {
  const answer = await start(of, fields);
  if (answer.status !== 200) throw new Error(`not started: ${answer.status} ${await answer.text()}`);
  return (await jsonOf(answer)) as { device_code: string; user_code: string };
};
const poll = (of: TestClient, device_code: string | undefined, headers: Record<string, string> = {}) =>
  t.post(
    '/api/oauth2/token',
    { grant_type: deviceGrant, device_code, client_id: of.clientId, client_secret: of.secret || undefined },
    headers,
  );
const look = (user_code: string, by: Caller = t.member) => by.call(`${pagePath}?${new URLSearchParams({ user_code })}`);
const decide = (user_code: string, approved = true, by: Caller = t.member) =>
  by.call(pagePath, { method: 'POST', body: { user_code, approved } });
const allow = async (user_code: string, by: Caller = t.member) =>
  expect((await decide(user_code, true, by)).status).toBe(200);

test('a device requests a code, the user approves it elsewhere, and the device gets tokens', async () => {
  const answer = await start(client);
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  const given = await jsonOf(answer);
  const page = `${t.config.webUrl}/device`;
  expect(given).toEqual({
    device_code: expect.stringMatching(/^svcdc_\w{48}$/),
    user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${given.user_code}`,
    expires_in: 600,
    interval: 5,
  });
  expect(await faultOf(poll(client, given.device_code))).toEqual(pending);
  const shown = (await jsonOf(look(given.user_code))).data;
  expect(shown).toMatchObject({
    user_code: given.user_code,
    application: { client_id: client.clientId, is_verified: false },
    has_existing_consent: false,
  });
  expect(shown.requested_scopes.map(({ name }: { name: string }) => name)).toEqual(['openid', 'profile']);
  expect((await jsonOf(decide(given.user_code))).data).toEqual({ approved: true });
  const tokens = await jsonOf(poll(client, given.device_code));
  expect(tokens).toMatchObject({ token_type: 'Bearer', scope: 'openid profile' });
  const claims = await t.verified(tokens.id_token, client.clientId);
  expect(claims).toMatchObject({ sub: `${t.member.id}`, preferred_username: t.member.username });
  expect(claims).not.toHaveProperty('nonce');
  expect((await jsonOf(t.userinfo(tokens.access_token))).sub).toBe(`${t.member.id}`);
  // Once; asking again takes nothing back from the device.
  expect(await faultOf(poll(client, given.device_code))).toEqual(invalidGrant);
  const next = await jsonOf(t.refresh(client, tokens.refresh_token));
  expect((await t.userinfo(next.access_token)).status).toBe(200);
  const { data } = await jsonOf(t.member.call('/api/oauth2/consents'));
  expect(data.consents.map((one: { application_id: number }) => one.application_id)).toContain(client.id);
  expect((await jsonOf(look((await started()).user_code))).data.has_existing_consent).toBe(true);
});

test('a public client works the same; an ID token is issued only with openid', async () => {
  const device = await t.client({ app_type: 'public' });
  const { device_code, user_code } = await started(device, { scope: 'profile' });
  await allow(user_code);
  const tokens = await jsonOf(poll(device, device_code));
  expect(tokens.scope).toBe('openid profile');
  expect(tokens).not.toHaveProperty('id_token');
});

test('polling too early increases the interval', async () => {
  const { device_code, user_code } = await started();
  const after = async (seconds: number) => {
    t.clock.advance(seconds * 1000);
    return faultOf(poll(client, device_code));
  };
  expect(await after(0)).toEqual(pending);
  expect(await after(5)).toEqual(pending);
  expect(await after(1)).toEqual(slowDown);
  // Ten seconds now, counted from the last question, and then fifteen.
  expect(await after(9)).toEqual(slowDown);
  expect(await after(15)).toEqual(pending);
  expect(await after(14)).toEqual(slowDown);
  const other = await started();
  expect(await faultOf(poll(client, other.device_code))).toEqual(pending);
  await allow(user_code);
  expect((await poll(client, device_code)).status).toBe(200);
});

test('of 20 concurrent polls, all but one are too early', async () => {
  const { device_code } = await started();
  const faults = await Promise.all(Array.from({ length: 20 }, () => faultOf(poll(client, device_code))));
  expect(faults.filter(([, error]) => error === 'authorization_pending')).toHaveLength(1);
  expect(faults.filter(([, error]) => error === 'slow_down')).toHaveLength(19);
});

test('an approved code gives one token pair to 50 concurrent polls', async () => {
  const { device_code, user_code } = await started();
  await allow(user_code);
  const answers = await Promise.all(Array.from({ length: 50 }, () => poll(client, device_code)));
  const won = answers.filter(({ status }) => status === 200);
  expect(won).toHaveLength(1);
  for (const answer of answers) if (answer !== won[0]) expect(await faultOf(answer)).toEqual(invalidGrant);
  expect((await t.userinfo((await jsonOf(won[0]!)).access_token)).status).toBe(200);
});

test('a code is answered once, also under concurrency', async () => {
  const { device_code, user_code } = await started();
  // Fewer than the wrong codes that a session may type: while they are looked up, all of them count.
  const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => decide(user_code, i % 2 === 0)));
  const won = answers.filter(({ status }) => status === 200);
  expect(won).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 404)).toHaveLength(7);
  const { approved } = (await jsonOf(won[0]!)).data;
  expect((await poll(client, device_code)).status).toBe(approved ? 200 : 400);
  expect((await look(user_code)).status).toBe(404);
});

test('denied, expired, unknown and foreign codes have distinct errors', async () => {
  const denied = await started();
  expect((await jsonOf(decide(denied.user_code, false))).data).toEqual({ approved: false });
  expect(await faultOf(poll(client, denied.device_code))).toEqual([400, 'access_denied']);
  const other = await t.client();
  const given = await started();
  await allow(given.user_code);
  expect(await faultOf(poll(other, given.device_code))).toEqual(invalidGrant);
  for (const wrong of ['svcdc_wrong', given.user_code, 'x'.repeat(10_000)])
    expect(await faultOf(poll(client, wrong))).toEqual(invalidGrant);
  expect(await faultOf(poll(client, undefined))).toEqual([400, 'invalid_request']);
  expect(await faultOf(poll({ ...client, secret: 'svcsec_wrong' }, given.device_code))).toEqual([
    401,
    'invalid_client',
  ]);
  expect((await poll(client, given.device_code)).status).toBe(200);
  const late = await started();
  t.clock.advance(600_000);
  expect(await faultOf(poll(client, late.device_code))).toEqual([400, 'expired_token']);
  expect((await decide(late.user_code)).status).toBe(404);
});

test('a user code is accepted in lower case and without the hyphen, from any logged-in user', async () => {
  const { user_code } = await started();
  const plain = user_code.replace('-', '').toLowerCase();
  for (const typed of [plain, ` ${user_code} `, user_code.split('').join(' '), user_code.replace('-', '–')])
    expect((await jsonOf(look(typed))).data.user_code).toBe(user_code);
  expect((await t.call(`${pagePath}?user_code=${user_code}`)).status).toBe(401);
  expect((await t.call(pagePath, { method: 'POST', body: { user_code, approved: true } })).status).toBe(401);
  const forged = {
    method: 'POST',
    body: { user_code, approved: true },
    headers: { origin: 'https://attacker.example' },
  };
  expect((await t.member.call(pagePath, forged)).status).toBe(403);
});

test.each([
  [{ scope: 'openid root' }, [400, 'invalid_scope']],
  [{ scope: 'x'.repeat(10_000) }, [400, 'invalid_scope']],
  [{ scope: 'x'.repeat(70_000) }, [413, 'invalid_request']],
  [{ client_secret: 'svcsec_wrong' }, [401, 'invalid_client']],
  [{ client_id: 'svc_unknown' }, [401, 'invalid_client']],
  [{ client_id: 'svc_\0' }, [400, 'invalid_request']],
  [{ client_id: undefined, client_secret: undefined }, [401, 'invalid_client']],
] as [Fields, [number, string]][])('an invalid request gets no code (%#)', async (fields, fault) => {
  expect(await faultOf(start(client, fields))).toEqual(fault);
});

test('the page API validates its input strictly', async () => {
  expect((await look('x'.repeat(65))).status).toBe(400);
  expect((await t.member.call(`${pagePath}?user_code=BCDF-GHJK&more=1`)).status).toBe(400);
  const { user_code } = await started();
  for (const body of [{ user_code }, { user_code, approved: 'yes' }, { user_code, approved: true, scope: 'openid' }])
    expect((await t.member.call(pagePath, { method: 'POST', body })).status).toBe(400);
});

test('a revoked consent, suspended application or ended session ends the code', async () => {
  const own = await t.client();
  const person = await t.user();
  const first = await started(own);
  await allow(first.user_code, person);
  await person.call(`/api/oauth2/consents/${own.id}`, { method: 'DELETE' });
  expect(await faultOf(poll(own, first.device_code))).toEqual(invalidGrant);
  const [second, unanswered] = [await started(own), await started(own)];
  await allow(second.user_code, person);
  await t.act('suspend', own.id);
  expect(await faultOf(poll(own, second.device_code))).toEqual([403, 'access_denied']);
  expect(await faultOf(start(own))).toEqual([403, 'access_denied']);
  await t.act('activate', own.id);
  expect(await faultOf(poll(own, second.device_code))).toEqual(invalidGrant);
  expect((await decide(unanswered.user_code, true, person)).status).toBe(404);
  const third = await started(own);
  await person.call('/api/user/logout', { method: 'POST', body: {} });
  expect((await decide(third.user_code, true, person)).status).toBe(401);
});

test('only the scopes shown to the user are granted, even if the application gets more later', async () => {
  const own = await t.client();
  const { device_code, user_code } = await started(own, { scope: 'openid email' });
  const put = (scopes: string) =>
    t.owner.call(`/api/oauth2/applications/${own.id}`, { method: 'PUT', body: { scopes } });
  await put('openid');
  expect((await jsonOf(look(user_code))).data.requested_scopes).toHaveLength(1);
  await allow(user_code);
  await put('openid email');
  expect((await jsonOf(poll(own, device_code))).scope).toBe('openid');
});

test('with OAuth2RequireApproval, unverified applications cannot request codes', async () => {
  await t.setOption('OAuth2RequireApproval', true);
  expect(await faultOf(start(client))).toEqual([403, 'access_denied']);
  await t.setOption('OAuth2RequireApproval', false);
  expect((await start(client)).status).toBe(200);
});

test('tokens of a device are bound to its key if it sends a proof', async () => {
  const device = await t.client({ app_type: 'public', dpop_bound_access_tokens: true });
  const own = await newProver(t);
  const { device_code, user_code } = await started(device);
  await allow(user_code);
  expect(await faultOf(poll(device, device_code))).toEqual([400, 'invalid_dpop_proof']);
  const tokens = await jsonOf(poll(device, device_code, { dpop: await own.prove('/api/oauth2/token') }));
  expect(tokens.token_type).toBe('DPoP');
});

test('codes are stored as hashes', async () => {
  const { device_code, user_code } = await started();
  const rows = await t.platform.database.db.selectFrom('oauth_device_codes').selectAll().execute();
  const text = JSON.stringify(rows);
  for (const secret of [device_code, device_code.slice(6), user_code, user_code.replace('-', '')])
    expect(text).not.toContain(secret);
});

test('token families of device and authorization codes are separate: revoking one keeps the other', async () => {
  const own = await t.client();
  const { device_code, user_code } = await started(own);
  await allow(user_code);
  const byDevice = await jsonOf(poll(own, device_code));
  const { db } = t.platform.database;
  const rows = await db.selectFrom('oauth_tokens').select('family').where('application_id', '=', own.id).execute();
  expect(rows.every(({ family }) => Number(family) < 0)).toBe(true);
  const byCode = await t.tokens(own);
  await t.post('/api/oauth2/revoke', { token: byCode.refresh_token }, { authorization: basic(own) });
  expect((await t.userinfo(byDevice.access_token)).status).toBe(200);
});

// The last: from here on this address has no tries left.
test('guessing codes is limited by session and by address', async () => {
  const { user_code } = await started();
  const wrong = 'BBBB-BBBB';
  const tries = async (by: Caller, count: number) => {
    const statuses: number[] = [];
    for (let n = 0; n < count; n += 1)
      statuses.push((await (n % 2 ? look(wrong, by) : decide(wrong, true, by))).status);
    return statuses;
  };
  const [first, second, third, last] = [await t.user(), await t.user(), await t.user(), await t.user()];
  // What is right costs nothing, and gives nothing back.
  expect((await look(user_code, first)).status).toBe(200);
  expect(await tries(first, 9)).toEqual(Array.from({ length: 9 }, () => 404));
  expect((await look(user_code, first)).status).toBe(200);
  expect(await tries(first, 3)).toEqual([404, 429, 429]);
  const stopped = await look(user_code, first);
  expect([stopped.status, stopped.headers.get('retry-after')]).toEqual([429, '900']);
  expect((await look(user_code, second)).status).toBe(200);
  await tries(second, 10);
  await tries(third, 10);
  expect((await look(user_code, last)).status).toBe(429);
});
