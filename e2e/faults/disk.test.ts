/** A full or read-only disk, tested with a small separate file system, which only root can mount. */
import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import runtimeEnvironment from '../../server/src/runtime-environment.json' with { type: 'json' };
import { program } from '../program.ts';
import { type Service, startService, until } from '../service.ts';
import { account, inOrder, startLoad, tally } from './load.ts';
import { printSeen, saw } from './table.ts';

const place = mkdtempSync(join(tmpdir(), 'svc-disk-'));
const disk = join(place, 'disk');
mkdirSync(disk);
const run = (...command: string[]): boolean =>
  Bun.spawnSync(command, { stdout: 'ignore', stderr: 'ignore' }).exitCode === 0;
const mounted = run('mount', '-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk);
const why = 'a small file system cannot be mounted here; it takes root';

let service: Service | undefined;
afterAll(async () => {
  await service?.stop();
  if (mounted) run('umount', '-l', disk);
  rmSync(place, { recursive: true, force: true });
  printSeen();
});

/** Runs the service until it exits by itself, as it must. */
async function attempt(dataDir: string): Promise<{ code: number; said: string }> {
  const child = Bun.spawn(program, {
    env: { PATH: process.env.PATH ?? '', ...runtimeEnvironment, PORT: '0', DATA_DIR: dataDir },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const code = await child.exited;
  return { code, said: await new Response(child.stderr).text() };
}

const integrity = (dataDir: string): string => {
  const file = new Database(join(dataDir, 'svc.db'), { readonly: true });
  const answer = file.query<{ integrity_check: string }, []>('pragma integrity_check').get();
  file.close();
  return answer?.integrity_check ?? 'no answer';
};

/** Files and batches are a list; knowledge sources are a field of an object. */
interface Listed {
  data: { length?: number; sources?: unknown[] };
}

test('answers 503 while the disk is full and recovers when there is space again', async () => {
  if (!mounted) return console.log(`SKIPPED: the full disk (${why})`);
  const dataDir = join(disk, 'data');
  service = await startService({ dataDir });
  const load = await startLoad(service, { pauseMs: 5 });
  await until('the load runs', () => load.total() > 50, 60_000);
  const ballast = join(disk, 'ballast');
  const headers = { authorization: `Bearer ${service.key}` };
  const send = async (path: string, fields: Record<string, string | File>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    const answer = await fetch(service!.url + path, { method: 'POST', headers, body: form });
    return { status: answer.status, text: await answer.text() };
  };
  const upload = (megabytes: number) =>
    send('/v1/files', { purpose: 'batch', file: new File([new Uint8Array(megabytes * 1024 ** 2)], 'lines.jsonl') });
  const book = new File(['Tea and rivers.\n\n'.repeat(400_000)], 'book.md');
  const teach = () => send('/api/svc-ms/knowledge/import', { file: book });
  const message = { model: load.model, max_tokens: 10, messages: [{ role: 'user', content: 'x'.repeat(1_000_000) }] };
  const batch = () =>
    service!.post('/v1/messages/batches', { requests: [{ custom_id: 'a', params: message }] }, { headers });
  const listed = async (path: string) => (await fetch(service!.url + path, { headers })).json() as Promise<Listed>;
  const tooLarge = await upload(32);
  const leftBehind = readdirSync(join(dataDir, 'blobs/incoming'));
  const small = await upload(1);
  // dd writes until no space is left; SQLite may still find some in its own log.
  run('dd', 'if=/dev/zero', `of=${ballast}`, 'bs=4k');
  await until('calls fail', () => load.failures.length > 20, 60_000);
  const refused = [
    await teach(),
    await upload(2),
    await batch().then(async (a) => ({ status: a.status, text: await a.text() })),
  ];
  const full = await attempt(join(disk, 'second'));
  const health = await fetch(`${service.url}/healthz`);
  const readiness = async () => (await fetch(`${service!.url}/readyz`)).status;
  await until('it is not ready', async () => (await readiness()) === 503, 60_000);
  rmSync(ballast);
  const before = load.total();
  await until('requests are answered again', () => load.total() > before + 50, 60_000);
  await until('it is ready again', async () => (await readiness()) === 200, 60_000);
  const kept = async () => (await listed('/api/svc-ms/knowledge/sources')).data.sources?.length;
  await until('nothing is left of the book', async () => (await kept()) === 0);
  const files = [await listed('/v1/files'), await listed('/v1/messages/batches')].map(({ data }) => data.length);
  await load.end();
  await until('nothing is held any more', async () => (await account(load, service!)).astray === 0, 60_000);
  const sums = await account(load, service);
  load.upstream.stop();
  const failed = tally(load.failures);
  await service.kill('SIGTERM');
  const checked = integrity(dataDir);
  saw(
    'disk full',
    'clear error at start or 503, no corruption',
    `failed meanwhile: ${JSON.stringify(failed)}; a start: exit ${full.code}, "${full.said.trim().split('\n')[0]}"; ` +
      `${sums.answered} answered, ${sums.charged} charged, ${sums.served} served; integrity check: ${checked}`,
  );
  // A stream that had started can report the error only within the stream.
  expect(Object.keys(failed).filter((kind) => kind !== '200 unavailable')).toEqual(['503 unavailable']);
  expect([tooLarge.status, leftBehind, small.status]).toEqual([503, [], 200]);
  expect(tooLarge.text).toContain('Files cannot be saved');
  for (const { status, text } of refused) expect([status, text]).toEqual([503, expect.stringMatching(/cannot be/)]);
  // The file uploaded before.
  expect(files).toEqual([1, 0]);
  expect(health.status).toBe(200);
  expect(full.code).toBe(1);
  expect(full.said).toMatch(/full/);
  expect(checked).toBe('ok');
  inOrder(sums);
}, 300_000);

test('a read-only data folder causes a clear error at startup, or 503 later', async () => {
  if (!mounted) return console.log(`SKIPPED: the read-only data folder (${why})`);
  const dataDir = join(disk, 'data');
  writeFileSync(join(disk, 'note'), 'still writable');
  await service?.restart();
  const login = () =>
    fetch(`${service!.url}/api/user/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: `u${Date.now()}`, password: 'a fine password' }),
    });
  expect((await login()).status).toBe(200);
  const busy = !run('mount', '-o', 'remount,ro', disk);
  let later = 'the running process keeps its files open for writing, so that the system refuses to turn read-only';
  if (!busy) {
    const refused = await login();
    later = `${refused.status} ${await refused.text()}`;
    expect(refused.status).toBe(503);
  }
  await service?.kill('SIGTERM');
  run('mount', '-o', 'remount,ro', disk);
  const { code, said } = await attempt(dataDir);
  const fresh = await attempt(join(disk, 'new'));
  run('mount', '-o', 'remount,rw', disk);
  await service?.restart();
  expect((await login()).status).toBe(200);
  await service?.kill('SIGTERM');
  const checked = integrity(dataDir);
  saw(
    'read-only data directory',
    'clear error at start or 503, no corruption',
    `start: exit ${code}, "${said.trim().split('\n')[0]}"; while running: ${later}; integrity check: ${checked}`,
  );
  expect([code, fresh.code]).toEqual([1, 1]);
  expect(said).toContain(dataDir);
  expect(said).toMatch(/read-only|not writable|EROFS/i);
  expect(said).not.toContain('at openPlatform');
  expect(checked).toBe('ok');
}, 300_000);
