import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Member, openTestApp, rootPassword, type TestApp } from '../../app.fixture.ts';
import { manualClock } from '../../lib/clock.ts';
import { removeFactorsAtTheMachine } from '../administrator.ts';
import { codeAt, cookieOf, dataOf, type Enrolled, enrol, password, post } from './factors.fixture.ts';
import { steppedUp } from './step-up.ts';

interface Operation {
  security?: Record<string, unknown>[];
  requestBody?: unknown;
  responses: Record<string, unknown>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
}

const clock = manualClock(Date.UTC(2026, 0, 15, 12));
let t: TestApp;
let root: Member;
/** A session of root's from before there was a factor. */
let older: Member;
let enrolled: Enrolled;
/** Made once: to write it takes longer than everything else here. */
let document: Document;
beforeAll(async () => {
  t = await openTestApp({ clock, env: { OPENID_CONNECT: '1' } });
  await t.setOption('RateLimitEnabled', false);
  [root, older] = [await t.root(), await t.root()];
  enrolled = await enrol(t, root, rootPassword);
  document = t.app.document() as Document;
});
afterAll(() => t.close());

const send = (by: Member, route: string) => {
  const [method, path] = route.split(' ') as [string, string];
  const address = path.replace(/\{\w+\}/g, '999999');
  // With the header of our pages, without which addresses for keys refuse sessions.
  return by.call(address, { method, headers: { 'x-svc-web': '1' }, ...(method !== 'GET' && { body: {} }) });
};

describe('step-up', () => {
  test.each([...steppedUp])('%s requires a fresh second factor', async (route) => {
    const { paths } = document;
    const [method, path] = route.split(' ') as [string, string];
    expect(paths[path]).toHaveProperty(method.toLowerCase());
    const refused = await send(older, route);
    expect(refused.status).toBe(403);
    const success = path.startsWith('/api/') && { success: false };
    expect(await refused.json()).toMatchObject({ ...success, code: 'step_up_required' });
  });

  test('is required for every administrator change to credentials, sign-in methods or credits', () => {
    const { paths } = document;
    const writes = Object.entries(paths).flatMap(([path, methods]) =>
      ['post', 'put', 'delete']
        .filter(
          (method) =>
            method in methods &&
            /^\/api\/admin\/(users|channels|identity-providers)(\/\{id\}(\/credits|\/factors|\/credentials(\/\{credential_id\})?)?)?$/.test(
              path,
            ),
        )
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(writes.filter((write) => !steppedUp.has(write))).toEqual([]);
  });

  /** With what it refers to by name. */
  const written = (value: unknown): string =>
    JSON.stringify(value).replace(/"#\/components\/schemas\/(\w+)"/g, (_, name: string) =>
      written(document.components.schemas[name]),
    );

  test('is required for everything that grants a role, allows tools, sets an upstream credential, a price or who pays', () => {
    const given = /"(role|credential|client_secret|base_url|issuer|prompt_price|ask_first|balance)":\{/;
    const giving = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method, { security, requestBody }]) => {
          const bySession = security?.some((way) => 'session' in way);
          return method !== 'get' && bySession && given.test(written(requestBody ?? null));
        })
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    );
    expect(giving).toContain('PUT /api/organisations/{id}/members/{user_id}');
    expect(giving).toContain('PUT /api/admin/provider-models/{id}');
    expect(giving.filter((route) => !steppedUp.has(route))).toEqual([
      // One's own from the beginning.
      'POST /api/organisations',
      // There it says who speaks in a chat.
      'PUT /api/playground/chats/{chat_id}',
    ]);
  });

  test('is required for everything that shows a secret to a session', () => {
    // Our pages call addresses for keys with their session.
    const bySession = (operation: Operation) => operation.security?.some((way) => 'session' in way || 'apiKey' in way);
    const always = 'secret|client_secret_plain|webhook_secret|recovery_codes';
    // Other methods mask these.
    const secret = { post: new RegExp(`"(${always}|key|token|codes)":`), other: new RegExp(`"(${always})":`) };
    const showing = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method, operation]) => {
          const shown = method === 'post' ? secret.post : secret.other;
          return bySession(operation) && shown.test(written(operation.responses));
        })
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    );
    expect(showing).toContain('POST /api/tokens/{id}/rotate');
    expect(showing).toContain('GET /v1/videos/callback-secret');
    const others = showing.filter((route) => !steppedUp.has(route));
    expect(others.toSorted()).toEqual([
      // One that nobody uses yet.
      'POST /api/oauth2/applications',
      // They ask by themselves: the first of all factors cannot be shown before it is there.
      'POST /api/user/passkeys',
      'POST /api/user/totp',
      'POST /api/user/totp/confirm',
    ]);
  });

  test('is required for everything at an address of secrets', () => {
    const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
      /secret|\/rotate$/.test(path) ? Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`) : [],
    );
    expect(routes).toContain('POST /v1/videos/callback-secret/rotate');
    expect(routes.filter((route) => !steppedUp.has(route))).toEqual([
      // Only with an API key.
      'POST /v1/realtime/client_secrets',
    ]);
  });

  test('one confirmation is valid for ten minutes, in its own session', async () => {
    clock.advance(30_000);
    const fresh = () => older.call('/api/tokens', { method: 'POST', body: { name: 'made' } });
    expect((await post(older, '/api/user/step-up', { code: codeAt(enrolled.secret, clock.nowMs()) })).status).toBe(200);
    expect((await fresh()).status).toBe(200);
    clock.advance(599_000);
    expect((await fresh()).status).toBe(200);
    clock.advance(2_000);
    expect((await fresh()).status).toBe(403);
  });

  test('a rejected request can be repeated with the same idempotency key', async () => {
    const member = await t.user();
    const old = await t.call('/api/user/login', { method: 'POST', body: { username: member.username, password } });
    const cookie = old.headers.get('set-cookie')!.split(';')[0]!;
    const { recoveryCodes } = await enrol(t, member);
    const headers = { cookie, 'idempotency-key': 'once' };
    const make = () => t.call('/api/tokens', { method: 'POST', body: { name: 'made' }, headers });
    expect((await make()).status).toBe(403);
    await t.call('/api/user/step-up', { method: 'POST', body: { code: recoveryCodes[0] }, headers: { cookie } });
    expect((await make()).status).toBe(200);
  });

  test('deleting the account requires both the factor and the password', async () => {
    const member = await t.user();
    const { recoveryCodes } = await enrol(t, member);
    clock.advance(601_000);
    const remove = (body: object) => member.call('/api/user/self', { method: 'DELETE', body });
    expect((await remove({ password })).status).toBe(403);
    await post(member, '/api/user/step-up', { code: recoveryCodes[0] });
    for (const wrong of [{}, { password: 'not this one' }]) expect((await remove(wrong)).status).toBe(400);
    expect((await remove({ password })).status).toBe(200);
    expect((await member.call('/api/user/self')).status).toBe(401);
  });

  test('changing the address or password requires it, changing the name does not; the new session has it', async () => {
    const member = await t.user();
    const change = (body: object, cookie = member.cookie) =>
      t.call('/api/user/self', { method: 'PUT', body, headers: { cookie } });
    expect((await change({ email: 'first@example.com' })).status).toBe(200);
    const { recoveryCodes } = await enrol(t, member);
    clock.advance(601_000);
    const anew = { password: 'another fine password', current_password: password };
    for (const body of [{ email: 'other@example.com' }, { email: '' }, anew]) {
      const refused = await change(body);
      expect([refused.status, await refused.json()]).toMatchObject([403, { code: 'step_up_required' }]);
    }
    expect((await change({ display_name: 'Somebody', email: 'first@example.com' })).status).toBe(200);
    await post(member, '/api/user/step-up', { code: recoveryCodes[0] });
    expect((await change({ email: 'other@example.com' })).status).toBe(200);
    expect((await change({ ...anew, current_password: 'wrong' })).status).toBe(400);
    const changed = await change(anew);
    expect(changed.status).toBe(200);
    expect((await change({ email: 'third@example.com' }, cookieOf(changed))).status).toBe(200);
  });

  test('keys need none, and the address for keys names the methods to our page', async () => {
    const member = await t.user();
    const { recoveryCodes } = await enrol(t, member);
    await post(member, '/api/user/step-up', { code: recoveryCodes[0] });
    const { key } = await dataOf<{ key: string }>(post(member, '/api/tokens', { name: 'program' }));
    clock.advance(601_000);
    const at = '/v1/videos/callback-secret';
    expect((await t.call(at, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
    const refused = await member.call(at, { headers: { 'x-svc-web': '1' } });
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      { error: { code: 403 }, code: 'step_up_required', methods: ['totp', 'recovery_code'] },
    ]);
  });

  test('users without a second factor are not asked', async () => {
    const member = await t.user();
    expect((await member.call('/api/tokens', { method: 'POST', body: { name: 'made' } })).status).toBe(200);
  });
});

describe('lost second factors', () => {
  test('are removed by an administrator who confirmed their own', async () => {
    const member = await t.user();
    await enrol(t, member);
    const login = () => t.call('/api/user/login', { method: 'POST', body: { username: member.username, password } });
    expect((await login()).status).toBe(202);
    await post(root, '/api/user/step-up', { code: codeAt(enrolled.secret, clock.nowMs()) });
    expect((await root.call(`/api/admin/users/${member.id}/factors`, { method: 'DELETE' })).status).toBe(200);
    expect((await login()).status).toBe(200);
  });

  test('of the last root are removed with the command line', async () => {
    const login = () =>
      t.call('/api/user/login', { method: 'POST', body: { username: 'root', password: rootPassword } });
    expect((await login()).status).toBe(202);
    const { accounts } = t.app.identity;
    expect(await removeFactorsAtTheMachine(accounts, 'Root')).toBe(true);
    expect(await removeFactorsAtTheMachine(accounts, 'nobody')).toBe(false);
    expect((await login()).status).toBe(200);
  });
});
