import { afterAll, expect, test } from 'bun:test';
import { openTestApp } from '../../app.fixture.ts';
import { openLog } from '../../platform/log.ts';
import { startLiar } from './liar.fixture.ts';

const lines: string[] = [];
const log = openLog('warn', { write: (line: string) => void lines.push(line) });
const t = await openTestApp({ log, env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
const liar = startLiar();
afterAll(async () => {
  liar.stop();
  await t.close();
});

const said = { error: 'invalid_client', error_description: 'not the secret of s3cret' };
const challenge = { 'www-authenticate': 'Basic realm="tokens"' };

test.each([
  ['status 400, invalid_client', () => Response.json(said, { status: 400 })],
  ['status 401', () => Response.json(said, { status: 401, headers: challenge })],
  ['status 400', () => Response.json({ ...said, error: 'svc\nforged' }, { status: 400 })],
])('the log tells why a provider refused a code: %s', async (why, token) => {
  const root = await t.root();
  const slug = `liar-${Bun.randomUUIDv7().slice(-8)}`;
  const body = { slug, name: 'A liar', issuer: liar.issuer, client_id: 'svc', client_secret: 's3cret' };
  await root.call('/api/admin/identity-providers', { method: 'POST', body });
  liar.state.lies = { token };
  const left = await t.call(`/api/auth/${slug}/start`);
  const { searchParams } = new URL(left.headers.get('location')!);
  const back = new URLSearchParams({ code: searchParams.get('nonce')!, state: searchParams.get('state')! });
  const cookie = left.headers.get('set-cookie')!.split(';')[0]!;
  lines.length = 0;
  await t.call(`/api/auth/${slug}/callback?${back}`, { headers: { cookie } });
  const { provider, detail } = JSON.parse(lines[0]!);
  expect(provider).toBe(slug);
  // And no description, which may repeat what was sent.
  expect(detail).toEndWith(`, ${why})`);
});

test.each([
  [
    'has a different issuer, https://elsewhere.example/realm',
    { document: { issuer: 'https://elsewhere.example/realm' } },
  ],
  ['status 302', { redirect: { '/.well-known/openid-configuration': 'https://elsewhere.example' } }],
])('the test of a provider tells what is wrong with its document: it %s', async (why, lies) => {
  const root = await t.root();
  const slug = `liar-${Bun.randomUUIDv7().slice(-8)}`;
  const body = { slug, name: 'A liar', issuer: liar.issuer, client_id: 'svc' };
  const path = '/api/admin/identity-providers';
  const made = (await (await root.call(path, { method: 'POST', body })).json()) as { data: { id: number } };
  liar.state.lies = lies;
  const tested = await root.call(`${path}/${made.data.id}/test`, { method: 'POST' });
  expect(await tested.json()).toMatchObject({ data: { ok: false, error: expect.stringContaining(why) } });
});
