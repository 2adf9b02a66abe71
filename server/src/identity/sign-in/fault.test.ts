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
