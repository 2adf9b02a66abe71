/** The single executable, as the image holds it: nothing of this folder beside it. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildWeb } from '../scripts/build-web.ts';
import { says } from './relay-replies.ts';
import { type Service, startService } from './service.ts';
import { startUpstream, type Upstream } from './upstream.ts';

const root = join(import.meta.dir, '..');
const place = mkdtempSync(join(tmpdir(), 'svc-binary-'));
const binary = join(place, 'svc');
let upstream: Upstream;
let service: Service;

beforeAll(async () => {
  if (!existsSync(join(root, 'dist/web/manifest.json'))) await buildWeb(join(root, 'dist/web'));
  const builder = join(root, 'scripts/build-binary.ts');
  const built = Bun.spawn([process.execPath, builder, `--outfile=${binary}`], { stdout: 'ignore', stderr: 'inherit' });
  expect(await built.exited).toBe(0);
  upstream = startUpstream(says('openai', { text: 'hello to you' }));
  service = await startService({ program: [binary], dataDir: join(place, 'data') });
});
afterAll(async () => {
  await service?.stop();
  upstream?.stop();
  rmSync(place, { recursive: true, force: true });
});

test('it serves the web app from within', async () => {
  const page = await fetch(service.url, { headers: { accept: 'text/html' } });
  expect(page.headers.get('content-type')).toContain('text/html');
  const script = /src="(\/[^"]+\.js)"/.exec(await page.text())![1]!;
  const file = await fetch(service.url + script);
  expect(file.status).toBe(200);
  expect(file.headers.get('content-type')).toContain('javascript');
});

test('it relays and charges', async () => {
  const { modelId } = await service.serve({ kind: 'openai', url: upstream.url, promptPrice: 2, completionPrice: 2 });
  const before = await service.self(service.root);
  const answer = await service.post('/v1/chat/completions', {
    model: modelId,
    max_tokens: 20,
    messages: [{ role: 'user', content: 'hello' }],
  });
  expect(((await answer.json()) as { choices: unknown }).choices).toMatchObject([
    { message: { content: 'hello to you' } },
  ]);
  const after = await service.self(service.root);
  expect(after.used_quota).toBeGreaterThan(before.used_quota);
  expect(after.quota + after.used_quota).toBe(before.quota + before.used_quota);
});

test('it stops in order, and its commands work on the same data', async () => {
  expect(await service.kill('SIGTERM')).toBe(0);
  const doctor = Bun.spawn([binary, 'doctor'], { env: { DATA_DIR: service.dataDir }, stdout: 'pipe', stderr: 'pipe' });
  const said = await new Response(doctor.stdout).text();
  expect(await doctor.exited).toBe(0);
  expect(said).toContain('database');
});
