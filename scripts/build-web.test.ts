import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { buildWeb } from './build-web.ts';

let outDir: string;
let built: Awaited<ReturnType<typeof buildWeb>>;

beforeAll(async () => {
  outDir = await mkdtemp(join(tmpdir(), 'svc-web-'));
  built = await buildWeb(outDir);
}, 120_000);
afterAll(() => rm(outDir, { recursive: true, force: true }));

test('the login page loads less than 250 KB of compressed script', () => {
  expect(built.loginScriptBytes).toBeGreaterThan(10_000);
  expect(built.loginScriptBytes).toBeLessThan(250_000);
});

test('the page has one script of its own, known by its hash, its styles, and everything it names was built', async () => {
  const page = await Bun.file(join(outDir, 'index.html')).text();
  const [early, ...others] = [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(([, script]) => script!);
  expect(others).toEqual([]);
  expect(built.manifest.scriptHash).toBe(`sha256-${new Bun.CryptoHasher('sha256').update(early!).digest('base64')}`);
  const [styles, ...otherStyles] = [...page.matchAll(/<style>(.*?)<\/style>/gs)].map(([whole]) => whole);
  expect(otherStyles).toEqual([]);
  expect(page.replace(early!, '').replace(styles!, '')).not.toMatch(
    /<script(?!>)(?![^>]* src=)|<style|\son\w+=|javascript:/,
  );
  const named = [...page.matchAll(/"(\/[^"$]+\.(?:js|css|svg))"/g)].map(([, address]) => address!);
  expect(named.length).toBeGreaterThanOrEqual(4);
  const paths = built.manifest.files.map(({ path }) => path);
  for (const address of named) expect(paths).toContain(address);
});

test('the manifest tells the truth about every file and its compressed copies', async () => {
  for (const { path, bytes, gzip, brotli, immutable } of built.manifest.files) {
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

test('the first pages come with a part of the styles and words', () => {
  const sizeOf = (name: RegExp) => built.manifest.files.find(({ path }) => name.test(path))!.brotli;
  expect(sizeOf(/^\/index\.html$/)).toBeLessThan(0.85 * sizeOf(/styles-/));
  expect(sizeOf(/zh-cn-first-/)).toBeLessThan(0.2 * sizeOf(/zh-cn-(?!first)/));
});

test('pages are split: the login page does not carry the frame', async () => {
  const entry = built.manifest.files.find(({ path }) => /\/main-\w+\.js$/.test(path));
  const text = await Bun.file(join(outDir, entry!.path)).text();
  expect(text).not.toContain('Where you are logged in');
  expect(text).not.toContain('Skip to content');
});
