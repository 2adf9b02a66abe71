import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Member, openTestApp, rootPassword, type TestApp } from './app.fixture.ts';
import { makeAdministrator } from './identity/administrator.ts';
import { roles } from './identity/user.ts';

/** Every act of an administrator upon a user, or upon what is a user's. */
const acts: Record<string, (by: Member, target: Member) => Promise<Response>> = {
  'PUT /api/admin/users/{id}': (by, { id }) =>
    by.call(`/api/admin/users/${id}`, { method: 'PUT', body: { display_name: 'Renamed' } }),
  'DELETE /api/admin/users/{id}': (by, { id }) => by.call(`/api/admin/users/${id}`, { method: 'DELETE' }),
  'DELETE /api/admin/users/{id}/factors': (by, { id }) =>
    by.call(`/api/admin/users/${id}/factors`, { method: 'DELETE' }),
  'DELETE /api/admin/users/{id}/sessions': (by, { id }) =>
    by.call(`/api/admin/users/${id}/sessions`, { method: 'DELETE' }),
  'DELETE /api/admin/users/{id}/sessions/{session_id}': async (by, target) => {
    const session = (await (await target.call('/api/user/sessions')).json()) as { data: { id: number }[] };
    return by.call(`/api/admin/users/${target.id}/sessions/${session.data[0]!.id}`, { method: 'DELETE' });
  },
  'POST /api/admin/users/{id}/links': (by, { id }) =>
    by.call(`/api/admin/users/${id}/links`, { method: 'POST', body: { purpose: 'verify_email' } }),
  'POST /api/admin/users/{id}/credits': (by, { id }) =>
    by.call(`/api/admin/users/${id}/credits`, { method: 'POST', body: { quota: 1 } }),
  ...Object.fromEntries(
    ['verify', 'unverify', 'suspend', 'activate'].map((action) => [
      `POST /api/oauth2/admin/applications/${action}`,
      async (by: Member, target: Member) =>
        by.call(`/api/oauth2/admin/applications/${action}`, {
          method: 'POST',
          body: { app_id: await applicationOf(target) },
        }),
    ]),
  ),
  'PUT /api/oauth2/admin/applications/{app_id}': async (by, target) =>
    by.call(`/api/oauth2/admin/applications/${await applicationOf(target)}`, {
      method: 'PUT',
      body: { rate_limit: 5 },
    }),
};

/** Giving credits, root may do anywhere; another root it can neither change nor delete. */
const rootReachesRoot = (act: string) =>
  !/users\/\{id\}(\/factors|\/links|\/sessions|\/sessions\/\{session_id\})?$/.test(act);
/** Looking after applications is every administrator's, whoever owns them. */
const anyOwner = (act: string) => /admin\/applications/.test(act);

let t: TestApp;
const members: Record<string, Member> = {};

async function applicationOf(owner: Member): Promise<number> {
  const body = { name: 'Mine', redirect_uris: ['https://client.example/callback'], scopes: 'openid' };
  const made = await owner.call('/api/oauth2/applications', { method: 'POST', body });
  return ((await made.json()) as { data: { id: number } }).data.id;
}

async function memberOf(role: keyof typeof roles, name: string): Promise<Member> {
  if (role !== 'user')
    await makeAdministrator(t.app.identity.accounts, { username: name, role: roles[role], password: rootPassword });
  else return t.user(name);
  const answer = await t.call('/api/user/login', { method: 'POST', body: { username: name, password: rootPassword } });
  const cookie = answer.headers.get('set-cookie')!.split(';')[0]!;
  const { data } = (await answer.json()) as { data: { id: number } };
  return {
    id: data.id,
    username: name,
    cookie,
    call: (path, init = {}) => t.call(path, { ...init, headers: { cookie, ...init.headers } }),
    key: async () => '',
  };
}

beforeAll(async () => {
  t = await openTestApp();
  await t.setOption('RateLimitEnabled', false);
  for (const role of ['user', 'administrator', 'root'] as const) members[role] = await memberOf(role, `acting-${role}`);
});
afterAll(() => t.close());

const cases = Object.keys(acts).flatMap((act) =>
  (['user', 'administrator', 'root'] as const).flatMap((by) =>
    (['user', 'administrator', 'root', 'self'] as const).map((target) => ({ act, by, target })),
  ),
);

const allowed = (act: string, by: keyof typeof roles, target: keyof typeof roles): boolean => {
  if (by === 'user') return false;
  if (anyOwner(act)) return true;
  if (by === 'root' && target === 'root') return rootReachesRoot(act);
  return roles[target] < roles[by];
};

let made = 0;
test.each(cases)('$act: $by on $target', async ({ act, by, target }) => {
  made += 1;
  const role = target === 'self' ? by : target;
  const acting = members[by]!;
  const upon = target === 'self' ? acting : await memberOf(role, `target-${made}`);
  expect((await acts[act]!(acting, upon)).status).toBe(allowed(act, by, role) ? 200 : 403);
});

test('every administrator route that names a user or an application is in the table', () => {
  const { paths } = t.app.document() as { paths: Record<string, Record<string, { summary: string }>> };
  const writes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => method !== 'get' && /^\/api\/(admin\/users|oauth2\/admin\/applications)\b/.test(path))
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(writes.sort()).toEqual(Object.keys(acts).sort());
});
