import { afterAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { version } from '../package.json' with { type: 'json' };
import { startS3 } from '../server/src/platform/blobs/s3-server.fixture.ts';
import { program } from './program.ts';
import { says } from './relay-replies.ts';
import { type Service, startService, until } from './service.ts';
import { startUpstream } from './upstream.ts';

const startOpenai = () => startUpstream(says('openai', { text: 'hello to you' }));

const place = mkdtempSync(join(tmpdir(), 'svc-cli-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

async function svc(args: string[], env: Record<string, string>): Promise<{ code: number; said: string }> {
  const child = Bun.spawn([...program, ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const said = (await new Response(child.stdout).text()) + (await new Response(child.stderr).text());
  return { code: await child.exited, said };
}

const ask = (service: Service, model: string) =>
  service.post('/v1/chat/completions', { model, max_tokens: 20, messages: [{ role: 'user', content: 'hello' }] });

test('an unknown command lists the known ones', async () => {
  const { code, said } = await svc(['dance'], {});
  expect(code).toBe(2);
  for (const name of ['serve', 'migrate', 'create-admin', 'rotate-encryption-key', 'backup', 'restore', 'doctor'])
    expect(said).toContain(name);
});

test('unknown options are rejected; --help and --version have no side effects', async () => {
  const env = { DATA_DIR: join(place, 'untouched') };
  const usage = 'Usage: svc rotate-encryption-key [--lost]\n';
  expect(await svc(['rotate-encryption-key', '--dry-run'], env)).toEqual({ code: 2, said: usage });
  expect(await svc(['rotate-encryption-key', '--help'], env)).toEqual({ code: 0, said: usage });
  expect(await svc(['--version'], env)).toEqual({ code: 0, said: `${version}\n` });
  expect(existsSync(env.DATA_DIR)).toBe(false);
});

test('a backup taken under load restores to a consistent service with its credentials', async () => {
  const upstream = startOpenai();
  const service = await startService({ dataDir: join(place, 'live') });
  const { modelId } = await service.serve({ kind: 'openai', url: upstream.url, promptPrice: 2, completionPrice: 2 });
  let going = true;
  let answered = 0;
  const load = (async () => {
    for (; going; answered += 8)
      await Promise.all(Array.from({ length: 8 }, () => ask(service, modelId).then((r) => r.text())));
  })();
  await until('some were answered', () => answered > 0);
  const folder = join(place, 'backup');
  const taken = await svc(['backup', folder], { DATA_DIR: service.dataDir });
  expect(taken.said).toContain('The backup is in');
  expect(taken.code).toBe(0);
  expect(statSync(join(folder, 'encryption.key')).mode & 0o077).toBe(0);
  const elsewhere = { DATA_DIR: service.dataDir, ENCRYPTION_KEY: 'ab'.repeat(32) };
  const keyless = await svc(['backup', join(place, 'keyless')], elsewhere);
  expect(keyless.said).toContain('It does not include ENCRYPTION_KEY');
  expect(existsSync(join(place, 'keyless', 'encryption.key'))).toBe(false);
  expect((await svc(['restore', folder], { DATA_DIR: service.dataDir })).said).toContain('Another process');
  going = false;
  await load;
  await service.stop();

  const dataDir = join(place, 'restored');
  expect((await svc(['restore', folder], { DATA_DIR: dataDir })).code).toBe(0);
  expect((await svc(['restore', folder], { DATA_DIR: dataDir })).said).toContain('--force');
  // Of a backup without the key, the key that is there is all there is.
  rmSync(join(folder, 'encryption.key'));
  expect((await svc(['restore', folder, '--force'], { DATA_DIR: dataDir })).code).toBe(0);
  const restored = await startService({ dataDir });
  const self = await restored.self(restored.root);
  const holds = 50_000_000 - self.quota - self.used_quota;
  expect(self.used_quota).toBeGreaterThan(0);
  // What was on its way when the copy was made is given back by the sweep at the start.
  expect(holds).toBe(0);
  expect((await ask(restored, modelId)).status).toBe(200);
  await restored.stop();
  upstream.stop();
}, 300_000);

test('after the encryption key is rotated, credentials, idempotency keys and compacted conversations still work', async () => {
  const dataDir = join(place, 'rotate');
  const upstream = startOpenai();
  const service = await startService({ dataDir });
  const { modelId } = await service.serve({ kind: 'openai', url: upstream.url, credential: 'sk-upstream-secret-1234' });
  const newKey = async () => {
    const headers = { 'content-type': 'application/json', cookie: service.root.cookie, 'idempotency-key': 'kept' };
    const init = { method: 'POST', headers, body: JSON.stringify({ name: 'once' }) };
    return (await fetch(`${service.url}/api/tokens`, init)).text();
  };
  const made = await newKey();
  const respond = async (path: string, body: object) =>
    (await service.post(path, { model: modelId, ...body })).json() as Promise<Record<string, unknown>>;
  const { output } = await respond('/v1/responses/compact', { input: 'I grow tea.' });
  const { id: kept } = await respond('/v1/responses', { input: output });
  await service.kill('SIGTERM');
  const before = readFileSync(join(dataDir, 'encryption.key'), 'utf8');
  const rotated = await svc(['rotate-encryption-key'], { DATA_DIR: dataDir });
  expect(rotated.code).toBe(0);
  expect(rotated.said).toMatch(/^3 stored secret/);
  expect(readFileSync(join(dataDir, 'encryption.key'), 'utf8')).not.toBe(before);
  expect(existsSync(join(dataDir, 'encryption.key.new'))).toBe(false);
  const checked = await svc(['doctor'], { DATA_DIR: dataDir });
  expect(checked.said).toContain('All checks passed');
  await service.restart();
  expect((await ask(service, modelId)).status).toBe(200);
  expect(await newKey()).toBe(made);
  expect(await respond('/v1/responses', { input: 'And?', previous_response_id: kept })).toMatchObject({
    status: 'completed',
  });
  await service.stop();
  upstream.stop();
}, 300_000);

test('create-admin restores access for a lost administrator, and doctor reports problems', async () => {
  const dataDir = join(place, 'admin');
  const service = await startService({ dataDir });
  expect((await svc(['create-admin', 'newcomer'], { DATA_DIR: dataDir })).said).toContain('Another process');
  // Containers are often given a proxy for the way out; their health is no matter of it.
  const { port } = new URL(service.url);
  const health = () => svc(['health'], { PORT: port, HTTP_PROXY: 'http://127.0.0.1:1' });
  expect(await health()).toEqual({ code: 0, said: expect.stringContaining('"ready"') });
  await service.kill('SIGTERM');
  expect(await health()).toEqual({ code: 1, said: expect.stringContaining('No response from') });
  const made = await svc(['create-admin', 'newcomer', '--root'], { DATA_DIR: dataDir });
  const password = /Password: (\S+)/.exec(made.said)![1]!;
  expect((await svc(['create-admin', 'no spaces please'], { DATA_DIR: dataDir })).code).toBe(2);
  // Without --root it is a new password only: an installation must not lose its root to a forgotten flag.
  const forgotten = await svc(['create-admin', 'newcomer'], { DATA_DIR: dataDir, ADMIN_PASSWORD: password });
  expect(forgotten).toEqual({ code: 0, said: 'newcomer is now root.\n' });
  await service.restart();
  const login = await fetch(`${service.url}/api/user/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'newcomer', password }),
  });
  expect(((await login.json()) as { data: { role: number } }).data.role).toBe(100);
  const { logs } = await service.root.api<{ logs: object[] }>('/api/admin/audit?actor=create-admin&target=newcomer');
  expect(logs).toMatchObject([
    { action: 'user_updated', before: { role: 100 }, after: { role: 100 } },
    { action: 'user_created', actor: { id: null }, after: { role: 100, password: 'changed' } },
  ]);
  expect(JSON.stringify(logs)).not.toContain(password);
  await service.stop();
  const sick = await svc(['doctor'], { DATA_DIR: dataDir, REDIS_URL: 'redis://127.0.0.1:1' });
  expect(sick.code).toBe(1);
  expect(sick.said).toContain('✗ shared state');
}, 300_000);

const postgresUrl = process.env.DATABASE_URL_TEST ?? 'postgres://root@127.0.0.1:5432/postgres';
const postgresName = `svc_cli_${process.pid}_${Date.now()}`;
const admin = new SQL(postgresUrl, { max: 1, connectionTimeout: 2 });
const hasPostgres = await admin.unsafe(`create database ${postgresName}`).then(
  () => true,
  () => false,
);
if (!hasPostgres) console.warn('skipped: PostgreSQL is missing, so nothing was copied to it');
afterAll(async () => {
  if (hasPostgres) await admin.unsafe(`drop database ${postgresName} with (force)`);
  await admin.close();
});

test.skipIf(!hasPostgres)(
  'a killed SQLite service continues with all its data on PostgreSQL and S3',
  async () => {
    const upstream = startOpenai();
    const s3 = startS3();
    const dataDir = join(place, 'to-postgres');
    const service = await startService({ dataDir });
    const { modelId } = await service.serve({ kind: 'openai', url: upstream.url, promptPrice: 2, completionPrice: 2 });
    await Promise.all(Array.from({ length: 5 }, () => ask(service, modelId).then((answer) => answer.text())));
    const form = new FormData();
    form.set('purpose', 'user_data');
    form.set('file', new File(['leaves of tea'], 'tea.txt'));
    const authorization = `Bearer ${service.key}`;
    const init = { method: 'POST', headers: { authorization }, body: form };
    const file = (await (await fetch(`${service.url}/v1/files`, init)).json()) as { id: string };
    const remember = {
      model: 'svc/svc-ms',
      session_id: 'kept',
      messages: [{ role: 'user', content: 'I like green tea' }],
    };
    await (await service.post('/v1/chat/completions', remember)).text();
    const url = new URL(postgresUrl);
    url.pathname = `/${postgresName}`;
    const env = {
      DATABASE_URL: url.href,
      S3_BUCKET: 'media',
      S3_ENDPOINT: s3.url,
      S3_ACCESS_KEY_ID: 'key',
      S3_SECRET_ACCESS_KEY: 'secret',
    };
    expect((await svc(['copy-to-postgres'], { DATA_DIR: dataDir, ...env })).said).toContain('Another process');
    await service.kill('SIGKILL');

    expect((await svc(['copy-to-postgres'], { DATA_DIR: dataDir })).said).toContain('Set DATABASE_URL');
    const copied = await svc(['copy-to-postgres'], { DATA_DIR: dataDir, ...env });
    expect(copied).toEqual({ code: 0, said: expect.stringContaining('the totals match') });
    const again = await svc(['copy-to-postgres'], { DATA_DIR: dataDir, ...env });
    expect(again).toEqual({ code: 1, said: expect.stringContaining('already has users') });

    const moved = await startService({ dataDir, env });
    const { items } = await moved.root.api<{ items: { requests: number; quota: number }[] }>(
      '/api/admin/usage/summary',
    );
    const used = items.reduce(
      (sum, { requests, quota }) => ({ requests: sum.requests + requests, quota: sum.quota + quota }),
      {
        requests: 0,
        quota: 0,
      },
    );
    await until('what the killed process had kept is given back', async () => {
      const self = await moved.self(moved.root);
      return self.quota + self.used_quota === 50_000_000 && self.used_quota === used.quota;
    });
    expect(used.requests).toBeGreaterThanOrEqual(6);
    const content = await fetch(`${moved.url}/v1/files/${file.id}/content`, { headers: { authorization } });
    expect(await content.text()).toBe('leaves of tea');
    expect((await ask(moved, modelId)).status).toBe(200);
    await moved.stop();
    await service.stop();
    await s3.stop();
    upstream.stop();
  },
  300_000,
);
