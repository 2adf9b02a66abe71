import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Member, openTestApp, rootPassword, type TestApp } from '../app.fixture.ts';

let service: TestApp;
beforeAll(async () => {
  service = await openTestApp();
  await service.setOption('RateLimitApi', 100_000);
});
afterAll(() => service.close());

const body = async (response: Response) =>
  (await response.json()) as { success: boolean; message: string; data: never };

describe('registration', () => {
  test('returns the user without secrets, sets the cookie, and ignores privileged fields', async () => {
    const response = await service.call('/api/user/register', {
      method: 'POST',
      body: {
        username: 'Ann.B',
        password: 'long enough',
        email: 'ann@example.com',
        role: 100,
        quota: 9,
        is_admin: true,
      },
    });
    expect(response.status).toBe(200);
    const cookie = response.headers.get('set-cookie')!;
    for (const part of ['svc_session=', 'HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=2592000'])
      expect(cookie).toContain(part);
    expect(cookie).not.toContain('Secure');
    const { data } = (await response.json()) as { data: Record<string, unknown> };
    expect(data).toMatchObject({
      username: 'Ann.B',
      role: 1,
      quota: 0,
      status: 1,
      group: 'default',
      email_verified: false,
    });
    expect(JSON.stringify(data)).not.toContain('password');
  });

  test.each([
    ['ab', 'long enough'],
    ['has space', 'long enough'],
    ['x'.repeat(33), 'long enough'],
    ['fine_name', 'short'],
    ['fine_name', 'x'.repeat(129)],
    [7, 'long enough'],
  ])('rejects %p with %p', async (username, password) => {
    const response = await service.call('/api/user/register', { method: 'POST', body: { username, password } });
    expect(response.status).toBe(400);
    expect((await body(response)).success).toBe(false);
  });

  test('usernames are unique regardless of case, also under concurrency', async () => {
    const tries = Array.from({ length: 8 }, (_, i) =>
      service.call('/api/user/register', {
        method: 'POST',
        body: { username: i % 2 ? 'Twin_Name' : 'twin_name', password: 'long enough' },
      }),
    );
    const statuses = (await Promise.all(tries)).map((r) => r.status).sort();
    expect(statuses).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
  });

  test('can be disabled', async () => {
    await service.setOption('RegistrationEnabled', false);
    const response = await service.call('/api/user/register', {
      method: 'POST',
      body: { username: 'late_comer', password: 'long enough' },
    });
    expect(response.status).toBe(403);
    await service.setOption('RegistrationEnabled', true);
  });
});

describe('login', () => {
  test('an unknown user and a wrong password give the same message', async () => {
    const ask = async (username: string) =>
      service.call('/api/user/login', { method: 'POST', body: { username, password: 'not the password' } });
    const [unknown, wrong] = [await ask('nobody_here'), await ask('root')];
    expect([unknown.status, wrong.status]).toEqual([401, 401]);
    expect((await body(unknown)).message).toBe((await body(wrong)).message);
  });

  test('ten failures lock the username for that address, even with the right password', async () => {
    await service.user('locked_out');
    const ask = (password: string) =>
      service.call('/api/user/login', { method: 'POST', body: { username: 'locked_out', password } });
    const guesses = await Promise.all(Array.from({ length: 12 }, (_, i) => ask(`guess number ${i}`)));
    expect(guesses.filter((r) => r.status === 401)).toHaveLength(10);
    const late = await ask('a fine password');
    expect(late.status).toBe(429);
    expect(late.headers.get('retry-after')).toBe('900');
  });

  test('every login has a new session id; logging out ends only that session', async () => {
    const [first, second] = [await service.root(), await service.root()];
    expect(first.cookie).not.toBe(second.cookie);
    expect((await first.call('/api/user/logout', { method: 'POST' })).status).toBe(200);
    expect((await first.call('/api/user/self')).status).toBe(401);
    expect((await second.call('/api/user/self')).status).toBe(200);
  });
});

test('all other sessions of the user are ended at once', async () => {
  const [stranger, here] = [await service.root(), await service.user('many_devices')];
  const elsewhere = await Promise.all(
    [1, 2].map(() =>
      service.call('/api/user/login', {
        method: 'POST',
        body: { username: 'many_devices', password: 'a fine password' },
      }),
    ),
  );
  const asked = (response: Response) =>
    service.call('/api/user/self', { headers: { cookie: response.headers.get('set-cookie')!.split(';')[0]! } });
  for (const other of elsewhere) expect((await asked(other)).status).toBe(200);
  const ended = await here.call('/api/user/sessions', { method: 'DELETE' });
  expect((await body(ended)).data).toEqual({ ended: 2 } as never);
  for (const other of elsewhere) expect((await asked(other)).status).toBe(401);
  expect((await here.call('/api/user/self')).status).toBe(200);
  expect((await stranger.call('/api/user/self')).status).toBe(200);
});

describe('writes with a session cookie', () => {
  test('require JSON and the service’s own origin', async () => {
    const { call } = await service.user();
    const change = (headers: Record<string, string>) =>
      call('/api/user/self', { method: 'PUT', headers, body: JSON.stringify({ display_name: 'X' }) });
    expect((await change({ 'content-type': 'text/plain' })).status).toBe(415);
    expect((await change({ 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(415);
    // A form with files can be sent by any page; our header cannot.
    const files = { 'content-type': 'multipart/form-data; boundary=x' };
    expect((await change(files)).status).toBe(415);
    expect((await change({ ...files, 'x-svc-web': '1', origin: 'https://evil.example' })).status).toBe(403);
    const json = { 'content-type': 'application/json' };
    expect((await change({ ...json, origin: 'https://evil.example' })).status).toBe(403);
    expect((await change({ ...json, origin: 'null' })).status).toBe(403);
    expect((await change({ ...json, origin: service.config.baseUrl })).status).toBe(200);
    expect((await change(json)).status).toBe(200);
  });
});

describe('own account', () => {
  test('an address in other letters stays verified', async () => {
    const [root, user] = [await service.root(), await service.user()];
    const change = (email: string) => user.call('/api/user/self', { method: 'PUT', body: { email } });
    await change('maria@example.com');
    await root.call(`/api/admin/users/${user.id}`, { method: 'PUT', body: { email_verified: true } });
    const verified = async (email: string) =>
      ((await (await change(email)).json()) as { data: { email: string; email_verified: boolean } }).data;
    expect(await verified('Maria@Example.com')).toMatchObject({ email: 'Maria@Example.com', email_verified: true });
    expect(await verified('Maria@example.org')).toMatchObject({ email_verified: false });
  });

  test('a changed email address is unverified; an invalid avatar changes nothing', async () => {
    const [root, user] = [await service.root(), await service.user()];
    await root.call(`/api/admin/users/${user.id}`, { method: 'PUT', body: { email_verified: true } });
    const bad = await user.call('/api/user/self', {
      method: 'PUT',
      body: { email: 'new@example.com', avatar_url: 'javascript:alert(1)' },
    });
    expect(bad.status).toBe(400);
    const before = (await (await user.call('/api/user/self')).json()) as { data: { email_verified: boolean } };
    expect(before.data.email_verified).toBe(true);
    await user.call('/api/user/self', { method: 'PUT', body: { email: 'new@example.com' } });
    const after = (await (await user.call('/api/user/self')).json()) as {
      data: { email: string; email_verified: boolean };
    };
    expect(after.data).toMatchObject({ email: 'new@example.com', email_verified: false });
  });

  test('a new password ends all sessions and starts a new one', async () => {
    const user = await service.user('changes_word');
    const login = await service.call('/api/user/login', {
      method: 'POST',
      body: { username: 'changes_word', password: 'a fine password' },
    });
    const other = login.headers.get('set-cookie')!.split(';')[0]!;
    const wrong = await user.call('/api/user/self', {
      method: 'PUT',
      body: { password: 'brand new word', current_password: 'nope nope' },
    });
    expect(wrong.status).toBe(400);
    const changed = await user.call('/api/user/self', {
      method: 'PUT',
      body: { password: 'brand new word', current_password: 'a fine password' },
    });
    expect(changed.status).toBe(200);
    const fresh = changed.headers.get('set-cookie')!.split(';')[0]!;
    const self = (cookie: string) => service.call('/api/user/self', { headers: { cookie } });
    expect((await self(user.cookie)).status).toBe(401);
    expect((await self(other)).status).toBe(401);
    expect((await self(fresh)).status).toBe(200);
  });

  test('sessions are listed and ended; sessions of others are not found', async () => {
    const [one, two] = [await service.user(), await service.user()];
    const list = async (member: typeof one) =>
      ((await (await member.call('/api/user/sessions')).json()) as { data: { id: number; current: boolean }[] }).data;
    const [mine] = await list(one);
    expect(mine!.current).toBe(true);
    expect(JSON.stringify(mine)).not.toContain('token');
    expect((await two.call(`/api/user/sessions/${mine!.id}`, { method: 'DELETE' })).status).toBe(404);
    expect((await one.call(`/api/user/sessions/${mine!.id}`, { method: 'DELETE' })).status).toBe(200);
    expect((await one.call('/api/user/self')).status).toBe(401);
  });
});

describe('administration', () => {
  test('is forbidden for users, and for targets of the same role or higher', async () => {
    const [root, admin, user] = [await service.root(), await service.user(), await service.user()];
    expect((await user.call('/api/admin/users')).status).toBe(403);
    const change = (by: typeof root, id: number, fields: object) =>
      by.call(`/api/admin/users/${id}`, { method: 'PUT', body: fields });
    expect((await change(root, admin.id, { role: 10 })).status).toBe(200);
    expect((await change(admin, user.id, { role: 10 })).status).toBe(403);
    expect((await change(admin, root.id, { status: 2 })).status).toBe(403);
    expect((await change(admin, admin.id, { display_name: 'me' })).status).toBe(403);
    expect((await change(admin, user.id, { group: 'gold' })).status).toBe(200);
    expect((await change(root, 999_999, { group: 'gold' })).status).toBe(404);
  });

  test('a disabled user loses access immediately, including API keys', async () => {
    const [root, user] = [await service.root(), await service.user()];
    const key = await user.key();
    const models = () =>
      service.call('/v1/chat/completions', { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: {} });
    expect((await models()).status).toBe(400);
    await root.call(`/api/admin/users/${user.id}`, { method: 'PUT', body: { status: 2 } });
    expect((await models()).status).toBe(401);
    expect((await user.call('/api/user/self')).status).toBe(401);
    const login = await service.call('/api/user/login', {
      method: 'POST',
      body: { username: user.username, password: 'a fine password' },
    });
    expect(login.status).toBe(403);
  });

  test('users are searched and paged', async () => {
    const root = await service.root();
    await service.user('needle_100');
    const search = async (q: string) =>
      ((await (await root.call(`/api/admin/users?q=${encodeURIComponent(q)}`)).json()) as { data: { total: number } })
        .data;
    expect((await search('NEEDLE_100')).total).toBe(1);
    expect((await search('needle%100')).total).toBe(0);
    const page = (await (await root.call('/api/admin/users?page=0&page_size=1000')).json()) as {
      data: { page: number; page_size: number };
    };
    expect(page.data).toMatchObject({ page: 1, page_size: 100 });
  });

  test('users are fetched by a list of ids', async () => {
    const root = await service.root();
    const [one, other] = [await service.user(), await service.user()];
    const ask = (ids: string) => root.call(`/api/admin/users?ids=${ids}`);
    const answer = (await (await ask(`${other.id},${one.id},999999999`)).json()) as {
      data: { users: { id: number }[]; total: number };
    };
    expect(answer.data.users.map(({ id }) => id)).toEqual([one.id, other.id]);
    expect(answer.data.total).toBe(2);
    for (const wrong of ['', '1,', 'x', '1;2', Array(101).fill('1').join()])
      expect((await ask(wrong)).status).toBe(400);
  });

  test('options are typed, range-checked and effective immediately', async () => {
    const root = await service.root();
    const put = (key: string, value: unknown) =>
      root.call('/api/admin/options', { method: 'PUT', body: { key, value } });
    expect((await put('NoSuchOption', 1)).status).toBe(400);
    expect((await put('OAuth2CodeTTL', -5)).status).toBe(400);
    expect((await put('OAuth2CodeTTL', 'soon')).status).toBe(400);
    expect((await put('RegistrationEnabled', 'maybe')).status).toBe(400);
    expect((await put('QuotaForNewUser', '1234')).status).toBe(200);
    const user = await service.user();
    const self = (await (await user.call('/api/user/self')).json()) as { data: { quota: number } };
    expect(self.data.quota).toBe(1234);
    await put('QuotaForNewUser', 0);
  });
});

interface JsonBody {
  content: { 'application/json': { schema: { properties: object } } };
}

async function organisationKeys(owner: Member): Promise<string> {
  const made = await owner.call('/api/organisations', { method: 'POST', body: { name: 'Family' } });
  return `/api/organisations/${((await made.json()) as { data: { id: number } }).data.id}/keys`;
}

describe('API keys', () => {
  test('the full key is shown once and masked afterwards', async () => {
    const user = await service.user();
    const key = await user.key({ name: 'laptop' });
    expect(key).toMatch(/^sk-[0-9A-Za-z]{48}$/);
    const [listed] = ((await (await user.call('/api/tokens')).json()) as { data: Record<string, unknown>[] }).data;
    expect(listed!.key).toBe(`${key.slice(0, 7)}**********${key.slice(-4)}`);
    expect(listed).toMatchObject({
      name: 'laptop',
      unlimited_quota: true,
      remain_quota: 0,
      expired_time: -1,
      status: 1,
    });
  });

  test.each([
    [{ name: '' }],
    [{ name: 'x'.repeat(51) }],
    [{ name: 'k', expired_time: 1000 }],
    [{ name: 'k', remain_quota: -1 }],
    [{ name: 'k', allowed_ips: ['not an address'] }],
    [{ name: 'k', models: 'all' }],
    [{ name: 'k', status: 3 }],
    [{}],
  ])('rejects %p', async (fields) => {
    const user = await service.user();
    expect((await user.call('/api/tokens', { method: 'POST', body: fields })).status).toBe(400);
    expect(((await (await user.call('/api/tokens')).json()) as { data: unknown[] }).data).toEqual([]);
  });

  test('every field that can be changed can be given to a new key', async () => {
    const user = await service.user();
    const expired_time = Math.floor(Date.now() / 1000) + 86_400;
    const fields = {
      ...{ name: 'later', status: 2, expired_time, remain_quota: 7, unlimited_quota: false },
      ...{ models: ['demo/chat'], allowed_ips: ['10.0.0.0/8'], cache: { ttl_seconds: 60, when: 'any' } },
    };
    const { paths } = service.app.document() as { paths: Record<string, { put?: { requestBody: JsonBody } }> };
    const { properties } = paths['/api/tokens/{id}']!.put!.requestBody.content['application/json'].schema;
    expect(Object.keys(properties).sort()).toEqual(Object.keys(fields).sort());
    for (const path of ['/api/tokens', await organisationKeys(user)]) {
      const made = await user.call(path, { method: 'POST', body: fields });
      const { data } = (await made.json()) as { data: { key: string } };
      expect(data).toMatchObject(fields);
      const headers = { authorization: `Bearer ${data.key}` };
      expect((await service.call('/v1/models', { headers })).status).toBe(401);
    }
  });

  test('a disabled, expired, IP-restricted or deleted key is rejected immediately, and others cannot change it', async () => {
    const [user, other] = [await service.user(), await service.user()];
    const key = await user.key();
    const use = () =>
      service.call('/v1/chat/completions', { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: {} });
    const [{ id }] = ((await (await user.call('/api/tokens')).json()) as { data: [{ id: number }] }).data;
    const change = (fields: object) => user.call(`/api/tokens/${id}`, { method: 'PUT', body: fields });
    expect((await other.call(`/api/tokens/${id}`, { method: 'PUT', body: { name: 'mine' } })).status).toBe(404);
    expect((await other.call(`/api/tokens/${id}`, { method: 'DELETE' })).status).toBe(404);
    expect((await use()).status).toBe(400);
    await change({ status: 2 });
    expect((await use()).status).toBe(401);
    await change({ status: 1, allowed_ips: ['10.0.0.0/8'] });
    expect((await use()).status).toBe(403);
    await change({ allowed_ips: ['127.0.0.0/8', '::1'] });
    expect((await use()).status).toBe(400);
    await user.call(`/api/tokens/${id}`, { method: 'DELETE' });
    expect((await use()).status).toBe(401);
  });
});

test('the root user starts with its balance and password', async () => {
  const root = await service.root();
  const self = (await (await root.call('/api/user/self')).json()) as { data: { quota: number; role: number } };
  expect(self.data).toMatchObject({ quota: 50_000_000, role: 100 });
  expect(rootPassword.length).toBeGreaterThan(8);
});
