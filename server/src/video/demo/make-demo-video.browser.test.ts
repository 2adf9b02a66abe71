import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { makeDemoVideo } from './make-demo-video.ts';

const executablePath = '/usr/bin/chromium';
const missing = !existsSync(executablePath);
if (missing) console.warn(`skipped: ${executablePath} is missing, so the demo video was not played in a browser`);

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

describe.skipIf(missing)('the demo video in Chromium', () => {
  let browser: Browser;
  let server: ReturnType<typeof Bun.serve>;

  beforeAll(async () => {
    const video = await makeDemoVideo({
      prompt: 'a red fox in the snow',
      seconds: 2,
      width: 320,
      height: 180,
      seed: 7,
    });
    const page = '<!doctype html><title>video</title><video id="v" src="/v" muted></video>';
    server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) =>
        new URL(request.url).pathname === '/v'
          ? new Response(video.bytes, { headers: { 'content-type': video.contentType } })
          : new Response(page, { headers: { 'content-type': 'text/html' } }),
    });
    browser = await chromium.launch({ executablePath, headless: true, args });
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await server?.stop(true);
  });

  test('has its size and length, plays to the end and shows moving pictures in many colours', async () => {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.port}/`);
    const seen = await page.evaluate(async () => {
      const video = document.querySelector('video')!;
      const once = (event: string): Promise<unknown> =>
        new Promise((done, fail) => {
          video.addEventListener(event, done, { once: true });
          video.addEventListener('error', () => fail(new Error(video.error?.message)), { once: true });
        });
      if (video.readyState < 2) await once('loadeddata');
      const canvas = document.createElement('canvas');
      canvas.width = video.videoWidth;
      canvas.height = video.videoHeight;
      const context = canvas.getContext('2d')!;
      const grab = (): number[] => {
        context.drawImage(video, 0, 0);
        return [...context.getImageData(0, 0, canvas.width, canvas.height).data];
      };
      const first = grab();
      const ended = once('ended');
      await video.play();
      await ended;
      const last = grab();
      const changed = first.filter((value, at) => Math.abs(value - last[at]!) > 8).length / first.length;
      const colours = new Set(first.filter((_, at) => at % 4 < 3).map((value) => value >> 4)).size;
      // The word is drawn in white at the upper left: its S begins at (5, 4) times the scale of 2.
      const letter = first.slice((9 * 320 + 12) * 4, (9 * 320 + 12) * 4 + 3);
      const { duration, videoWidth, videoHeight, currentTime } = video;
      return { duration, videoWidth, videoHeight, currentTime, changed, colours, letter };
    });
    expect(seen.videoWidth).toBe(320);
    expect(seen.videoHeight).toBe(180);
    expect(seen.duration).toBeCloseTo(2, 1);
    expect(seen.currentTime).toBeGreaterThan(1.8);
    expect(seen.changed).toBeGreaterThan(0.05);
    expect(seen.colours).toBeGreaterThan(4);
    expect(Math.min(...seen.letter)).toBeGreaterThan(150);
  }, 60_000);
});
