/** Tokens survive the end of the process however it ends, the audit log survives an orderly stop. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Caller, type Service, startService } from './service.ts';

const callback = 'https://client.example/callback';
let service: Service;
let user: Caller;
let client: { id: number; client_id: string; client_secret_plain: string };
beforeAll(async () => {
  service = await startService();
  user = await service.user();
  client = await user.api('/api/oauth2/applications', {
    method: 'POST',
    body: { name: 'Client', redirect_uris: [callback], scopes: 'openid' },
  });
});
afterAll(() => service.stop());

async function newToken(): Promise<string> {
  const { redirect_url } = await user.api<{ redirect_url: string }>('/api/oauth2/authorize', {
    method: 'POST',
    body: { client_id: client.client_id, redirect_uri: callback, approved: true },
  });
  const code = new URL(redirect_url).searchParams.get('code')!;
  const response = await fetch(`${service.url}/api/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client.client_id}:${client.client_secret_plain}`)}` },
    body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: callback }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}
const statusOf = async (token: string): Promise<number> =>
  (await fetch(`${service.url}/api/oauth2/userinfo`, { headers: { authorization: `Bearer ${token}` } })).status;

test('tokens stay valid after a SIGKILL right after the response', async () => {
  const tokens = await Promise.all(Array.from({ length: 20 }, newToken));
  await service.kill('SIGKILL');
  await service.restart();
  expect(await Promise.all(tokens.map(statusOf))).toEqual(tokens.map(() => 200));
});

test('no audit entry is lost after a SIGTERM right after the response', async () => {
  const issued = async () =>
    (await service.root.api<{ total: number }>('/api/oauth2/admin/audit?event_type=token_issued')).total;
  const before = await issued();
  const tokens = await Promise.all(Array.from({ length: 20 }, newToken));
  expect(await service.kill('SIGTERM')).toBe(0);
  await service.restart();
  expect(await issued()).toBe(before + 20);
  expect(await statusOf(tokens[0]!)).toBe(200);
});
