/** What stops the service from starting, and how it stops. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from './program.ts';
import { freePort, startService } from './service.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
const folder = () => {
  folders.push(mkdtempSync(join(tmpdir(), 'svc-start-')));
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
