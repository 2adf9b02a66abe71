import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { makeDemoVideo } from './make-demo-video.ts';

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
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
    const video = makeDemoVideo({ prompt: 'a red fox in the snow', seconds: 2, width: 480, height: 480 });
    const page = '<!doctype html><title>video</title><video id="v" muted></video>';
    server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) =>
        new URL(request.url).pathname === '/v'
          ? new Response(video.bytes, { headers: { 'content-type': video.contentType } })
          : new Response(page, { headers: { 'content-type': 'text/html' } }),
    });
    browser = await chromium.launch({ executablePath, headless: true, args });
  }, 300_000);

  afterAll(async () => {
    await browser?.close();
    await server?.stop(true);
  });

  test('has the requested size and length, supports seeking, plays to the end and shows moving colours', async () => {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.port}/`);
    const seen = await page.evaluate(async () => {
      const video = document.querySelector('video')!;
      const once = (event: string): Promise<unknown> =>
        new Promise((done, fail) => {
          video.addEventListener(event, done, { once: true });
          video.addEventListener('error', () => fail(new Error(video.error?.message)), { once: true });
        });
      // All of it at hand, so that it can be sought without ranges.
      video.src = URL.createObjectURL(await (await fetch('/v')).blob());
      await once('loadeddata');
      const canvas = document.createElement('canvas');
      canvas.width = video.videoWidth;
      canvas.height = video.videoHeight;
      const context = canvas.getContext('2d')!;
      const at = async (seconds: number): Promise<number[]> => {
        const shown = new Promise((done) => video.requestVideoFrameCallback(done));
        const sought = once('seeked');
        video.currentTime = seconds;
        await sought;
        // On a busy machine the picture comes later than the word that its place was found.
        await Promise.race([shown, new Promise((done) => setTimeout(done, 20_000))]);
        context.drawImage(video, 0, 0);
        return [...context.getImageData(0, 0, canvas.width, canvas.height).data];
      };
      const [first, later] = [await at(0.1), await at(1.6)];
      const ended = once('ended');
      await video.play();
      await ended;
      const changed = first.filter((value, at) => Math.abs(value - later[at]!) > 8).length / first.length;
      const colours = new Set(first.filter((_, at) => at % 4 < 3).map((value) => value >> 4)).size;
      // The word stands at the upper left, white on a dark plate.
      const [left, top, width, height] = [canvas.width / 20, canvas.height / 20, canvas.width / 3, canvas.height / 10];
      const word = [...context.getImageData(left, top, width, height).data].filter((_, at) => at % 4 === 1);
      const [darkest, brightest] = [Math.min(...word), Math.max(...word)];
      const { duration, videoWidth, videoHeight, currentTime } = video;
      return { duration, videoWidth, videoHeight, currentTime, changed, colours, darkest, brightest };
    });
    expect(seen.videoWidth).toBe(seen.videoHeight);
    expect(seen.duration).toBeCloseTo(2, 1);
    expect(seen.currentTime).toBeGreaterThan(1.8);
    expect(seen.changed).toBeGreaterThan(0.05);
    expect(seen.colours).toBeGreaterThan(4);
    expect(seen.brightest).toBeGreaterThan(200);
    expect(seen.darkest).toBeLessThan(50);
  }, 300_000);
});
