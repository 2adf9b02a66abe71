/** What the service keeps on disk is its owner's alone, whatever the shell that started it allows. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from './program.ts';
import { type Service, startService } from './service.ts';

const place = mkdtempSync(join(tmpdir(), 'svc-modes-'));
const umask = process.umask();
beforeAll(() => void process.umask(0));
afterAll(() => {
  process.umask(umask);
  rmSync(place, { recursive: true, force: true });
});

/** Everything below a folder, and itself, that others than its owner can do something with. */
function openToOthers(folder: string): string[] {
  const below = readdirSync(folder, { recursive: true }) as string[];
  return ['', ...below]
    .map((name) => join(folder, name))
    .map((path) => ({ path, mode: statSync(path).mode & 0o7777 }))
    .filter(({ mode }) => (mode & 0o077) !== 0)
    .map(({ path, mode }) => `${path} ${mode.toString(8)}`);
}

const svc = async (args: string[], dataDir: string) => {
  const env = { PATH: process.env.PATH ?? '', DATA_DIR: dataDir };
  const child = Bun.spawn([...program, ...args], { env, stdout: 'pipe', stderr: 'pipe' });
  const said = (await new Response(child.stdout).text()) + (await new Response(child.stderr).text());
  return { code: await child.exited, said };
};

const draw = async (service: Service) => {
  const body = { model: 'demo/image', prompt: 'a lighthouse', size: '256x256' };
  expect((await service.post('/v1/images/generations', body)).status).toBe(200);
};

test('with an open umask, data, backup and restored files are still closed to others', async () => {
  const dataDir = join(place, 'live');
  const service = await startService({ dataDir, env: { DEMO_PROVIDER: 'on' } });
  await draw(service);
  const names = readdirSync(dataDir);
  for (const name of ['svc.db', 'svc.db-wal', 'svc.db-shm', 'owner.lock', 'owner.json', 'encryption.key', 'blobs'])
    expect(names).toContain(name);
  expect(openToOthers(dataDir)).toEqual([]);
  const folder = join(place, 'backup');
  expect((await svc(['backup', folder], dataDir)).code).toBe(0);
  expect(openToOthers(folder)).toEqual([]);
  await service.kill('SIGTERM');
  expect(openToOthers(dataDir)).toEqual([]);
  // As a backup looks after it was copied to a file system without modes.
  for (const path of ['', ...(readdirSync(folder, { recursive: true }) as string[])])
    chmodSync(join(folder, path), statSync(join(folder, path)).isDirectory() ? 0o755 : 0o644);
  const restored = join(place, 'restored');
  expect((await svc(['restore', folder], restored)).code).toBe(0);
  expect(openToOthers(restored)).toEqual([]);
}, 300_000);

test('files left open by an earlier version are closed at start, and logged', async () => {
  const dataDir = join(place, 'older');
  const first = await startService({ dataDir, env: { DEMO_PROVIDER: 'on' } });
  await draw(first);
  await first.kill('SIGTERM');
  for (const path of ['', ...(readdirSync(dataDir, { recursive: true }) as string[])])
    chmodSync(join(dataDir, path), statSync(join(dataDir, path)).isDirectory() ? 0o755 : 0o644);
  await first.restart();
  expect(openToOthers(dataDir)).toEqual([]);
  expect(first.output()).toMatch(/restricted to its owner/);
  await first.stop();
}, 300_000);

test('a data folder with other files keeps its mode, and so do those files', async () => {
  const dataDir = join(place, 'shared');
  mkdirSync(dataDir, { mode: 0o755 });
  writeFileSync(join(dataDir, 'of-others.txt'), 'x', { mode: 0o644 });
  const service = await startService({ dataDir });
  expect(openToOthers(dataDir)).toEqual([`${dataDir} 755`, `${join(dataDir, 'of-others.txt')} 644`]);
  expect(service.output()).toMatch(/of-others\.txt/);
  await service.stop();
}, 300_000);
