import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { webAsset } from './web-assets.ts';

let folder: string;
const page = '<!doctype html><title>svc</title>';
const script = 'console.log("a script long enough to be compressed");'.repeat(20);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-web-'));
  const file = (path: string, type: string, immutable: boolean) => ({ path, type, immutable, etag: 'abc123' });
  await Bun.write(join(folder, 'index.html'), page);
  await Bun.write(join(folder, 'assets/main-1a2b3c4d.js'), script);
  await Bun.write(join(folder, 'assets/main-1a2b3c4d.js.gz'), Bun.gzipSync(script));
  await Bun.write(join(folder, 'secret.txt'), 'not in the list');
  await Bun.write(
    join(folder, 'manifest.json'),
    JSON.stringify({
      index: '/index.html',
      scriptHash: 'sha256-c2NyaXB0',
      files: [
        { ...file('/index.html', 'text/html; charset=utf-8', false), gzip: 0, brotli: 0 },
        { ...file('/assets/main-1a2b3c4d.js', 'text/javascript; charset=utf-8', true), gzip: 90, brotli: 0 },
      ],
      pages: [
        { address: '^/$', scripts: ['/assets/first-5e6f7a8b.js'], questions: ['/api/a', '/api/b?from={today}'] },
        { address: '^/admin(/|$)', scripts: ['/assets/admin-9c0d1e2f.js'], questions: ['/api/a'] },
      ],
    }),
  );
});
afterAll(() => rm(folder, { recursive: true }));

const get = (path: string, headers: Record<string, string> = {}) =>
  webAsset(path, new Request(`http://localhost${path}`, { headers }), folder);

test('a hashed file is cached forever, in an encoding the client accepts', async () => {
  const path = '/assets/main-1a2b3c4d.js';
  const plain = await get(path);
  expect(plain?.headers.get('cache-control')).toContain('immutable');
  expect(plain?.headers.get('content-encoding')).toBeNull();
  expect(await plain?.text()).toBe(script);

  const packed = await get(path, { 'accept-encoding': 'br;q=1.0, gzip' });
  expect(packed?.headers.get('content-encoding')).toBe('gzip');
  expect(packed?.headers.get('vary')).toBe('accept-encoding');
  expect(packed?.headers.get('etag')).not.toBe(plain?.headers.get('etag') ?? '');
  expect(new TextDecoder().decode(Bun.gunzipSync((await packed?.bytes()) as Uint8Array<ArrayBuffer>))).toBe(script);

  expect((await get(path, { 'accept-encoding': 'gzip;q=0' }))?.headers.get('content-encoding')).toBeNull();
});

test('a logged-in user gets early hints for their page', async () => {
  const linkOf = async (path: string, cookie: string) =>
    (await get(path, { accept: 'text/html', cookie }))?.headers.get('link');
  const question = (path: string) => `<${path}>; rel=preload; as=fetch; crossorigin`;
  const today = Date.parse(new Date().toISOString().slice(0, 10)) / 1_000;
  const session = 'a=b; svc_session=x';
  expect(await linkOf('/', session)).toBe(
    `</assets/first-5e6f7a8b.js>; rel=modulepreload, ${question('/api/a')}, ${question(`/api/b?from=${today}`)}`,
  );
  expect(await linkOf('/admin/users', session)).toBe(
    `</assets/admin-9c0d1e2f.js>; rel=modulepreload, ${question('/api/a')}`,
  );
  for (const cookie of ['', 'svc_sessions=x', 'other=svc_session=x']) expect(await linkOf('/', cookie)).toBeNull();
  expect(await linkOf('/elsewhere', session)).toBeNull();
  expect(await linkOf('/assets/main-1a2b3c4d.js', session)).toBeNull();
  expect((await get('/', { accept: 'text/html' }))?.headers.get('vary')).toContain('cookie');
});

test("the policy allows only a page's own script; files have no policy", async () => {
  const policyOf = async (path: string) =>
    (await get(path, { accept: 'text/html' }))?.headers.get('content-security-policy');
  for (const path of ['/', '/login']) expect(await policyOf(path)).toContain("script-src 'self' 'sha256-c2NyaXB0';");
  expect(await policyOf('/assets/main-1a2b3c4d.js')).toBeNull();
});

test('pages of the app return its index, revalidated each time', async () => {
  for (const path of ['/', '/login', '/oauth2/authorize', '/models/a/b']) {
    const answer = await get(path, { accept: 'text/html' });
    expect(answer?.headers.get('cache-control')).toBe('no-cache');
    expect(await answer?.text()).toBe(page);
  }
  expect((await get('/models/a/b-4.1', { accept: 'text/html,*/*;q=0.8' }))?.status).toBe(200);
  expect(await get('/assets/gone.js', { accept: 'text/html' })).toBeNull();
  const etag = (await get('/'))?.headers.get('etag') ?? '';
  expect((await get('/', { 'if-none-match': `"other", W/${etag}` }))?.status).toBe(304);
  expect((await get('/', { 'if-none-match': '"other"' }))?.status).toBe(200);
});

test("files outside the build's manifest are not served", async () => {
  for (const path of ['/secret.txt', '/manifest.json', '/assets/gone-00000000.js', '/../package.json', '/%2e%2e/x.y']) {
    expect(await get(path)).toBeNull();
  }
  expect(await webAsset('/', new Request('http://localhost/'), join(folder, 'nothing-here'))).toBeNull();
});
