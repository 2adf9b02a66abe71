import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openTestApp, type TestApp } from '../../app.fixture.ts';
import { openSealer } from '../../lib/seal.ts';
import { keyEntry } from '../../platform/sealing-keys.ts';
import { findProviderBySlug, resealClientSecrets } from './store/providers.ts';

/* A GitHub Enterprise Server, as far as it is asked. */

let t: TestApp;
let asked: { path: string; authorization: string | null; form: URLSearchParams }[] = [];
let emails: object[] = [];
let token: object = {};
const user = {
  id: 583_231,
  login: 'octo.cat',
  name: 'Octo Cat',
  avatar_url: 'https://avatars.example/u/1',
  email: null,
};

const github = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    const path = new URL(request.url).pathname;
    const form = new URLSearchParams(await request.text());
    asked.push({ path, authorization: request.headers.get('authorization'), form });
    if (path === '/login/oauth/access_token') return Response.json(token);
    if (path === '/api/v3/user') return Response.json(user);
    return path === '/api/v3/user/emails' ? Response.json(emails) : new Response('', { status: 404 });
  },
});
const issuer = `http://127.0.0.1:${github.port}`;

beforeAll(async () => {
  t = await openTestApp({ env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  const root = await t.root();
  const body = { slug: 'github', kind: 'github', name: 'GitHub', issuer, client_id: 'id', trust_email: true };
  const path = '/api/admin/identity-providers';
  expect((await root.call(path, { method: 'POST', body })).status).toBe(400);
  const made = await root.call(path, { method: 'POST', body: { ...body, client_secret: 'kept-to-itself' } });
  expect(made.status).toBe(201);
});
afterAll(async () => {
  github.stop(true);
  await t?.close();
});

async function signIn(): Promise<Response> {
  const started = await t.call('/api/auth/github/start');
  const url = new URL(started.headers.get('location')!);
  expect(url.href).toStartWith(`${issuer}/login/oauth/authorize?`);
  expect(url.searchParams.get('scope')).toBe('read:user user:email');
  const cookie = started.headers.get('set-cookie')!.split(';')[0]!;
  const query = new URLSearchParams({ code: 'c', state: url.searchParams.get('state')! });
  return t.call(`/api/auth/github/callback?${query}`, { headers: { cookie } });
}

test('a user signs in with GitHub, with the address from its separate endpoint', async () => {
  token = { access_token: 'gho_1', token_type: 'bearer', scope: 'read:user,user:email' };
  emails = [
    { email: 'old@example.com', primary: false, verified: true },
    { email: 'octo@example.com', primary: true, verified: true },
  ];
  asked = [];
  const answer = await signIn();
  expect(answer.headers.get('location')).toBe('http://localhost:3000/');
  const cookie = answer.headers.get('set-cookie')!.split(';')[0]!;
  const self = (await (await t.call('/api/user/self', { headers: { cookie } })).json()) as { data: object };
  expect(self.data).toMatchObject({
    ...{ username: 'octo.cat', display_name: 'Octo Cat', email: 'octo@example.com', email_verified: true },
  });
  const [exchanged, read] = asked as [(typeof asked)[number], (typeof asked)[number]];
  expect(exchanged.form.get('client_secret')).toBe('kept-to-itself');
  expect(exchanged.form.get('code_verifier')).toMatch(/^[0-9a-f]{64}$/);
  expect(read).toMatchObject({ path: '/api/v3/user', authorization: 'Bearer gho_1' });
});

test('GitHub errors with status 200 are recognised', async () => {
  token = { error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' };
  expect((await signIn()).headers.get('location')).toEndWith('/login?sign_in_error=provider_failed');
});

test('the secret is encrypted, and re-encrypted with a new key', async () => {
  const { db } = t.platform.database;
  const before = (await findProviderBySlug(db, 'github'))!.sealedSecret;
  expect(before).toMatch(/^s1\./);
  const keys = [keyEntry(crypto.getRandomValues(new Uint8Array(32))), ...t.platform.sealingKeys];
  const { reseal, open } = openSealer({ keys });
  expect(await resealClientSecrets(db, reseal)).toBe(1);
  const after = (await findProviderBySlug(db, 'github'))!.sealedSecret;
  expect([after === before, open(after)]).toEqual([false, 'kept-to-itself']);
});
