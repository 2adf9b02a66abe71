import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { randomString } from '../server/src/lib/ids.ts';
import { program } from './program.ts';
import { freePort, startService } from './service.ts';

const databaseUrl = process.env.DATABASE_URL_TEST ?? 'postgres://root@127.0.0.1:5432/postgres';
const redisUrl = process.env.REDIS_URL_TEST ?? 'redis://127.0.0.1:6379';
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
const folder = () => {
  folders.push(mkdtempSync(join(tmpdir(), 'svc-house-')));
  return folders.at(-1)!;
};

/** Runs the service until it ends by itself, which it must. */
async function attempt(env: Record<string, string>): Promise<{ code: number; said: string }> {
  const child = Bun.spawn(program, {
    env: {
      PATH: process.env.PATH ?? '',
      BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
      PORT: `${freePort()}`,
      DATA_DIR: folder(),
      ...env,
    },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const code = await child.exited;
  return { code, said: await new Response(child.stderr).text() };
}

describe('starting', () => {
  test('a wrong configuration: every fault at once, exit 1', async () => {
    const { code, said } = await attempt({ PORT: 'x', WORKERS: '3', BASE_URL: 'nonsense', DEMO_PROVIDER: 'perhaps' });
    expect(code).toBe(1);
    for (const name of ['PORT', 'WORKERS', 'BASE_URL', 'DEMO_PROVIDER']) expect(said).toContain(name);
  });

  test('a database that is gone: a clear message, exit 1, no password in it', async () => {
    const { code, said } = await attempt({ DATABASE_URL: `postgres://svc:hunter2@127.0.0.1:${freePort()}/svc` });
    expect(code).toBe(1);
    expect(said).toContain('The database cannot be reached');
    expect(said).not.toContain('hunter2');
  });

  test('a data folder that cannot be written: a clear message, exit 1', async () => {
    const { code, said } = await attempt({ DATA_DIR: '/proc/nowhere' });
    expect(code).toBe(1);
    expect(said).toContain('/proc/nowhere');
  });

  test('a second process on the same folder refuses, naming the first; after a SIGKILL the folder is free again', async () => {
    const service = await startService({ dataDir: folder() });
    const refused = await attempt({ DATA_DIR: service.dataDir });
    expect(refused.code).toBe(1);
    expect(refused.said).toMatch(/Another process \(pid \d+/);
    await service.kill('SIGKILL');
    await service.restart();
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    await service.stop();
  });
});

test('SIGTERM lets a running stream finish, and exits 0', async () => {
  const service = await startService();
  const response = await service.post('/v1/chat/completions', {
    model: 'demo/chat',
    stream: true,
    messages: [{ role: 'user', content: 'Tell me about the built-in provider.' }],
  });
  const reader = response.body!.getReader();
  await reader.read();
  const exited = service.kill('SIGTERM');
  let text = '';
  for (let part = await reader.read(); !part.done; part = await reader.read())
    text += new TextDecoder().decode(part.value);
  expect(text).toContain('[DONE]');
  expect(await exited).toBe(0);
  await service.stop();
});

test('two processes on PostgreSQL and Redis see an option change and a revoked key within a second', async () => {
  const name = `svc_house_${randomString(10).toLowerCase()}`;
  const admin = new SQL(databaseUrl, { max: 1 });
  await admin.unsafe(`create database ${name}`);
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  const env = { DATABASE_URL: url.href, REDIS_URL: redisUrl, REDIS_PREFIX: `${name}:` };
  const dataDir = folder();
  const [one, two] = await Promise.all([startService({ env, dataDir }), startService({ env, dataDir })]);
  try {
    const register = () =>
      fetch(`${two.url}/api/user/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: `u_${randomString(8)}`, password: 'long enough' }),
      });
    expect((await register()).status).toBe(200);
    await one.root.api('/api/admin/options', { method: 'PUT', body: { key: 'RegistrationEnabled', value: false } });
    await Bun.sleep(900);
    expect((await register()).status).toBe(403);

    const key = await one.root.key({ name: 'to revoke' });
    const use = (at: string) => fetch(`${at}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    expect((await use(one.url)).status).toBe(200);
    expect((await use(two.url)).status).toBe(200);
    const keys = await one.root.api<{ id: number; name: string }[]>('/api/tokens');
    const { id } = keys.find((item) => item.name === 'to revoke')!;
    await one.root.api(`/api/tokens/${id}`, { method: 'DELETE' });
    await Bun.sleep(900);
    expect((await use(one.url)).status).toBe(401);
    expect((await use(two.url)).status).toBe(401);
  } finally {
    await one.stop();
    await two.stop();
    await admin.unsafe(`drop database ${name} with (force)`);
    await admin.close();
  }
}, 30_000);
