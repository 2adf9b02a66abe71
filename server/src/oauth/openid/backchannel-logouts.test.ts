import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { until } from '../../lib/until.fixture.ts';
import { jsonOf } from '../oauth.fixture.ts';
import { mostOfApplication } from './backchannel-logouts.ts';
import { type OpenidTest, openOpenidTest } from './openid.fixture.ts';

let t: OpenidTest;
const received: { type: string | null; form: URLSearchParams }[] = [];
let failures = 0;
const receiver = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    if (failures > 0) {
      failures -= 1;
      return new Response(null, { status: 503 });
    }
    received.push({
      type: request.headers.get('content-type'),
      form: new URLSearchParams(await request.text()),
    });
    return new Response(null, { status: 204 });
  },
});
const backchannel_logout_uri = `http://127.0.0.1:${receiver.port}/logout`;
beforeAll(async () => {
  t = await openOpenidTest({ env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  await t.app.app.start();
});
afterAll(async () => {
  await t.close();
  receiver.stop(true);
});

const sidsTold = () => received.map(({ form }) => JSON.parse(atob(form.get('logout_token')!.split('.')[1]!)).sid);
const toldOf = (sid: unknown) => until('the application has heard of it', () => sidsTold().includes(sid));
const left = async (sid: unknown) =>
  t.platform.database.db
    .selectFrom('oauth_sign_ins')
    .selectAll()
    .where('sid', '=', sid as string)
    .execute();

test('an application gets a verifiable logout token', async () => {
  const client = await t.client({ backchannel_logout_uri, id_token_signed_response_alg: 'ES256' });
  const person = await t.user();
  const { claims } = await t.signIn(client, {}, person);
  failures = 1;
  await person.call('/api/user/logout', { method: 'POST' });
  await until('the application has heard of it at the second try', () => {
    t.clock.advance(1_000);
    return sidsTold().includes(claims.sid);
  });
  const { type, form } = received.at(-1)!;
  expect(type).toBe('application/x-www-form-urlencoded');
  const keys = createLocalJWKSet((await jsonOf(t.call('/api/oauth2/jwks'))) as unknown as JSONWebKeySet);
  const { payload } = await jwtVerify(form.get('logout_token')!, keys, {
    issuer: t.config.baseUrl,
    audience: client.clientId,
    typ: 'logout+jwt',
    algorithms: ['ES256'],
    currentDate: new Date(t.clock.nowMs()),
  });
  expect(payload).toMatchObject({
    sub: `${person.id}`,
    sid: claims.sid,
    jti: expect.any(String),
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  });
  expect(payload).not.toHaveProperty('nonce');
  await until('nothing is left of it', async () => (await left(claims.sid)).length === 0);
});

test('an application that never responds occupies few delivery slots and does not block others', async () => {
  let open = 0;
  let mostOpen = 0;
  const silent = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1', idleTimeout: 0 },
    fetch: ({ signal }) => {
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      signal.addEventListener('abort', () => {
        open -= 1;
      });
      return new Promise<Response>(() => {});
    },
  });
  const hostile = await t.client({ backchannel_logout_uri: `http://127.0.0.1:${silent.port}/logout` });
  for (let count = 0; count < 10; count += 1) {
    const person = await t.user();
    await t.signIn(hostile, {}, person);
    await person.call('/api/user/logout', { method: 'POST' });
  }
  const client = await t.client({ backchannel_logout_uri });
  const person = await t.user();
  const { claims } = await t.signIn(client, {}, person);
  await person.call('/api/user/logout', { method: 'POST' });
  await toldOf(claims.sid);
  expect(mostOpen).toBeGreaterThan(0);
  expect(mostOpen).toBeLessThanOrEqual(mostOfApplication);
  await silent.stop(true);
});

test('a new login of the same user in the same browser continues the session, as when an application requires one', async () => {
  const [client, other] = [await t.client({ backchannel_logout_uri }), await t.client({ backchannel_logout_uri })];
  const [person, stranger] = [await t.user(), await t.user()];
  const before = (await t.signIn(client, {}, person)).claims;
  const logIn = async ({ username }: typeof person, cookie: string) => {
    const body = { username, password: 'a fine password' };
    const answer = await t.call('/api/user/login', { method: 'POST', body, headers: { cookie } });
    const own = answer.headers.get('set-cookie')!.split(';')[0]!;
    const call: typeof person.call = (path, init) =>
      t.call(path, { ...init, headers: { cookie: own, ...init?.headers } });
    return { ...person, cookie: own, call };
  };
  t.clock.advance(60_000);
  const again = await logIn(person, person.cookie);
  expect((await person.call('/api/user/self')).status).toBe(401);
  t.app.app.sweep();
  const after = (await t.signIn(client, { max_age: '30' }, again)).claims;
  expect([after.sid, Number(after.auth_time)]).toEqual([before.sid, Number(before.auth_time) + 60]);
  const elsewhere = (await t.signIn(other, {}, again)).claims.sid;
  expect(sidsTold()).not.toContain(before.sid);
  // Somebody else ends it.
  await logIn(stranger, again.cookie);
  for (const sid of [before.sid, elsewhere]) await toldOf(sid);
  expect(sidsTold().filter((sid) => sid === before.sid)).toHaveLength(1);
});

test('a logout token is also sent when the session ends otherwise, only to applications of that session', async () => {
  const [client, silent] = [await t.client({ backchannel_logout_uri }), await t.client()];
  const [person, other] = [await t.user(), await t.user()];
  const mine = (await t.signIn(client, {}, person)).claims.sid;
  const unheard = (await t.signIn(silent, {}, person)).claims.sid;
  const theirs = (await t.signIn(client, {}, other)).claims.sid;
  const body = { password: 'another password', current_password: 'a fine password' };
  expect((await person.call('/api/user/self', { method: 'PUT', body })).status).toBe(200);
  await toldOf(mine);
  await until('nothing is left of it', async () => (await left(unheard)).length === 0);
  expect(sidsTold()).not.toContain(theirs);
  // A session that runs out is announced by nobody.
  t.clock.advance(31 * 86_400_000);
  t.app.app.sweep();
  await until('the session is gone', async () => {
    t.app.app.sweep();
    return sidsTold().includes(theirs);
  });
  expect(sidsTold().filter((sid) => sid === theirs)).toHaveLength(1);
});
