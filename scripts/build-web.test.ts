import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { WebManifest } from '../server/src/platform/http/web-assets.ts';
import { buildWeb } from './build-web.ts';

/** `npm test` has built it already, and says where: to build it once more takes six seconds. */
const given = process.env.SVC_BUILT_WEB;
let outDir: string;
let manifest: WebManifest;

beforeAll(async () => {
  outDir = given ?? (await mkdtemp(join(tmpdir(), 'svc-web-')));
  if (!given) await buildWeb(outDir);
  manifest = await Bun.file(join(outDir, 'manifest.json')).json();
}, 120_000);
afterAll(async () => {
  if (!given) await rm(outDir, { recursive: true });
});

test('the login page loads less than 250 KB of compressed script', async () => {
  const page = await Bun.file(join(outDir, 'index.html')).text();
  const scripts = manifest.files.filter(({ path }) => path.endsWith('.js') && page.includes(`="${path}"`));
  const bytes = scripts.reduce((sum, { gzip, bytes }) => sum + (gzip || bytes), 0);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(250_000);
});

test('the page has one inline script known by its hash, and all files it names were built', async () => {
  const page = await Bun.file(join(outDir, 'index.html')).text();
  const [early, ...others] = [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(([, script]) => script!);
  expect(others).toEqual([]);
  expect(manifest.scriptHash).toBe(`sha256-${new Bun.CryptoHasher('sha256').update(early!).digest('base64')}`);
  const [styles, ...otherStyles] = [...page.matchAll(/<style>(.*?)<\/style>/gs)].map(([whole]) => whole);
  expect(otherStyles).toEqual([]);
  expect(page.replace(early!, '').replace(styles!, '')).not.toMatch(
    /<script(?!>)(?![^>]* src=)|<style|\son\w+=|javascript:/,
  );
  const named = [...page.matchAll(/"(\/[^"$]+\.(?:js|css|svg))"/g)].map(([, address]) => address!);
  expect(named.length).toBeGreaterThanOrEqual(4);
  const paths = manifest.files.map(({ path }) => path);
  for (const address of named) expect(paths).toContain(address);
});

test('the manifest matches every file and its compressed copies', async () => {
  for (const { path, bytes, gzip, brotli, immutable } of manifest.files) {
    const content = await Bun.file(join(outDir, path)).bytes();
    expect([path, content.length]).toEqual([path, bytes]);
    expect([path, /-[a-z0-9]{8}\.\w+$/.test(path)]).toEqual([path, immutable]);
    if (gzip) expect(Bun.gunzipSync(await Bun.file(join(outDir, `${path}.gz`)).bytes())).toEqual(content);
    if (brotli) {
      const packed = await Bun.file(join(outDir, `${path}.br`)).bytes();
      expect(new Uint8Array(brotliDecompressSync(packed))).toEqual(content);
    }
  }
});

test('the first pages load only part of the styles and words', () => {
  const sizeOf = (name: RegExp) => manifest.files.find(({ path }) => name.test(path))!.brotli;
  expect(sizeOf(/^\/index\.html$/)).toBeLessThan(0.85 * sizeOf(/styles-/));
  expect(sizeOf(/zh-cn-first-/)).toBeLessThan(0.2 * sizeOf(/zh-cn-(?!first)/));
});

test('pages are split: the login page does not load the frame', async () => {
  const entry = manifest.files.find(({ path }) => /\/main-\w+\.js$/.test(path));
  const text = await Bun.file(join(outDir, entry!.path)).text();
  expect(text).not.toContain('Logged-in devices');
  expect(text).not.toContain('Skip to content');
});
