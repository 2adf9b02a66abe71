import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { durationOf } from '../../../../lib/audio/duration.ts';
import { demoFetch } from '../demo-fetch.ts';
import { notesOf } from './notes.ts';

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const missing = !existsSync(executablePath);
if (missing) console.warn(`skipped: ${executablePath} is missing, so the demo speech was not decoded in a browser`);

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const input = 'simulation';

async function speak(format: string): Promise<Buffer> {
  const body = { model: 'demo/speech', input, speed: 0.25, response_format: format };
  const signal = new AbortController().signal;
  return Buffer.from(await (await demoFetch({ path: '/audio/speech', body, stream: false, signal })).arrayBuffer());
}

describe.skipIf(missing)('demo speech in Chromium', () => {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, headless: true, args });
    page = await browser.newPage();
  }, 300_000);
  afterAll(() => browser?.close());

  test.each(['mp3', 'wav'])(
    '%s decodes to audible sound of the right length',
    async (format) => {
      const bytes = await speak(format);
      const heard = await page.evaluate(async (base64) => {
        const data = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        const decoded = await new OfflineAudioContext(1, 1, 24_000).decodeAudioData(data.buffer);
        const samples = decoded.getChannelData(0);
        let [peak, power] = [0, 0];
        for (const sample of samples) {
          peak = Math.max(peak, Math.abs(sample));
          power += sample ** 2;
        }
        // Strength of one frequency within the one long note.
        const strength = (hertz: number): number => {
          let [real, imaginary] = [0, 0];
          for (let at = 2400; at < 14_400; at += 1) {
            real += samples[at]! * Math.cos((2 * Math.PI * hertz * at) / 24_000);
            imaginary += samples[at]! * Math.sin((2 * Math.PI * hertz * at) / 24_000);
          }
          return Math.hypot(real, imaginary);
        };
        const tones = Array.from({ length: 180 }, (_, index) => 100 + index * 5);
        const pitch = tones.reduce((best, hertz) => (strength(hertz) > strength(best) ? hertz : best));
        return { seconds: decoded.duration, peak, rms: Math.sqrt(power / samples.length), pitch };
      }, bytes.toString('base64'));
      expect(heard.seconds).toBeCloseTo(await durationOf(bytes), 0);
      expect(heard.peak).toBeLessThan(1);
      expect(heard.peak).toBeGreaterThan(0.05);
      expect(heard.rms).toBeGreaterThan(0.02);
      // An MP3 line is 21 Hz wide.
      expect(Math.abs(heard.pitch - notesOf(input, 'default', 1)[0]!.frequency)).toBeLessThan(21);
    },
    30_000,
  );
});
