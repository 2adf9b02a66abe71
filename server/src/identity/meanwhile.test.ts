import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { login, userNow } from './accounts.ts';
import { statuses } from './user.ts';

let service: TestApp;
let root: Member;
let applicationId: string;
const redirectUri = 'https://client.example/callback';
const oldPassword = 'a fine password';
const newPassword = 'a finer password';

beforeAll(async () => {
  service = await openTestApp();
  await service.setOption('RateLimitEnabled', false);
  root = await service.root();
  const body = { name: 'Meanwhile', redirect_uris: [redirectUri], scopes: 'openid' };
  const made = await root.call('/api/oauth2/applications', { method: 'POST', body });
  applicationId = ((await made.json()) as { data: { client_id: string } }).data.client_id;
});
afterAll(() => service.close());

const expectOk = async (answer: Promise<Response>) => {
  const response = await answer;
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
};

/** Each takes the way in from whoever got hold of it. */
const ends: Record<string, (member: Member, sessionId: number) => Promise<void>> = {
  'the password is changed': (member) =>
    expectOk(
      member.call('/api/user/self', {
        method: 'PUT',
        body: { password: newPassword, current_password: oldPassword },
      }),
    ),
  'the user is disabled': (member) =>
    expectOk(root.call(`/api/admin/users/${member.id}`, { method: 'PUT', body: { status: statuses.disabled } })),
  'the user is deleted': (member) => expectOk(root.call(`/api/admin/users/${member.id}`, { method: 'DELETE' })),
  'the session is ended': (member, sessionId) =>
    expectOk(member.call(`/api/user/sessions/${sessionId}`, { method: 'DELETE' })),
};

/** A second login of the member, as a thief would have it. */
async function stolen(member: Member): Promise<{ cookie: string; sessionId: number }> {
  const body = { username: member.username, password: oldPassword };
  const response = await service.call('/api/user/login', { method: 'POST', body });
  const cookie = response.headers.get('set-cookie')!.split(';')[0]!;
  const listed = await service.call('/api/user/sessions', { headers: { cookie } });
  const { data } = (await listed.json()) as { data: { id: number; current: boolean }[] };
  return { cookie, sessionId: data.find(({ current }) => current)!.id };
}

/** Begins a request and holds its body back until `go`, when its caller has long been let in. */
async function begin(path: string, cookie: string, body: unknown, method = 'POST') {
  const reading = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const stream = new ReadableStream({
    pull: async (controller) => {
      reading.resolve();
      await go.promise;
      controller.enqueue(new TextEncoder().encode(JSON.stringify(body)));
      controller.close();
    },
  });
  const headers = { cookie, 'content-type': 'application/json' };
  const request = new Request(new URL(path, service.config.baseUrl), { method, headers, body: stream });
  const answer = service.app.fetch(request) as Promise<Response>;
  await reading.promise;
  return { go: go.resolve, answer };
}

/** What a session can make that outlives it. */
const makings: Record<string, { path: string; body: () => unknown; method?: string }> = {
  'an API key': { path: '/api/tokens', body: () => ({ name: 'kept' }) },
  'an authorization': {
    path: '/api/oauth2/authorize',
    body: () => ({ client_id: applicationId, redirect_uri: redirectUri, scope: 'openid', approved: true }),
  },
  'an application': {
    path: '/api/oauth2/applications',
    body: () => ({ name: 'Kept', redirect_uris: [redirectUri], scopes: 'openid' }),
  },
  'another address for mail': { path: '/api/user/self', body: () => ({ email: 'thief@example.com' }), method: 'PUT' },
};

describe.each(Object.entries(ends))('while %s', (_, end) => {
  test.each(Object.entries(makings))('%s is not created by a request that began earlier', async (_name, making) => {
    const member = await service.user();
    const { cookie, sessionId } = await stolen(member);
    const { go, answer } = await begin(making.path, cookie, making.body(), making.method);
    await end(member, sessionId);
    go();
    expect((await answer).status).toBe(401);
  });
});

describe.each(Object.entries(ends).slice(0, 3))('a login while %s', (_, end) => {
  test('starts no session if its password was checked earlier', async () => {
    const member = await service.user();
    const { accounts } = service.app.identity;
    const proven = await login(accounts, { username: member.username, password: oldPassword, ip: '192.0.2.1' });
    await end(member, 0);
    const request = new Request(service.config.baseUrl, { headers: { 'user-agent': 'late' } });
    expect(await accounts.sessions.start(proven, { ip: '192.0.2.1', request, headers: {} })).toBeNull();
    await root.call(`/api/admin/users/${member.id}`, { method: 'PUT', body: { status: statuses.enabled } });
    const rows = await service.platform.database.db
      .selectFrom('sessions')
      .select('user_agent')
      .where('user_id', '=', member.id)
      .execute();
    expect(rows.filter(({ user_agent }) => user_agent === 'late')).toEqual([]);
  });

  test('leaves no session of the old password, of many concurrent logins', async () => {
    const member = await service.user();
    const body = { username: member.username, password: oldPassword };
    const logins = Array.from({ length: 12 }, async (_unused, n) => {
      // Spread over the time that the change takes.
      for (let turn = 0; turn < n * 3; turn += 1) await new Promise(setImmediate);
      return service.call('/api/user/login', { method: 'POST', body });
    });
    const ended = end(member, 0);
    const answers = await Promise.all(logins);
    await ended;
    await root.call(`/api/admin/users/${member.id}`, { method: 'PUT', body: { status: statuses.enabled } });
    for (const answer of answers) {
      const cookie = answer.headers.get('set-cookie')?.split(';')[0];
      if (cookie) expect((await service.call('/api/user/self', { headers: { cookie } })).status).toBe(401);
    }
  });
});

test('of concurrent password changes with the old password, only one succeeds', async () => {
  const member = await service.user();
  const change = (password: string) =>
    member.call('/api/user/self', { method: 'PUT', body: { password, current_password: oldPassword } });
  const answers = await Promise.all(['first new one', 'second new one', 'third new one'].map(change));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('an administrator demoted during a request cannot complete it', async () => {
  const [admin, target] = [await service.user(), await service.user()];
  await expectOk(root.call(`/api/admin/users/${admin.id}`, { method: 'PUT', body: { role: 10 } }));
  const { go, answer } = await begin(`/api/admin/users/${target.id}`, admin.cookie, { status: 2 }, 'PUT');
  await expectOk(root.call(`/api/admin/users/${admin.id}`, { method: 'PUT', body: { role: 1 } }));
  go();
  expect((await answer).status).toBe(403);
});

test('a charge that is written while a balance is read does not make it look higher', async () => {
  const { db } = service.platform.database;
  const held = [300, 0];
  const before = await userNow({ db, heldBy: () => 0 }, root.id);
  // The row that is read does not have the charge yet, and its hold is gone by then.
  const read = await userNow({ db, heldBy: () => held.shift()! }, root.id);
  expect(before!.quota - read!.quota).toBe(300);
});
