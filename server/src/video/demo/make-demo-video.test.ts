import { describe, expect, test } from 'bun:test';
import { makeDemoVideo } from './make-demo-video.ts';

const small = { prompt: 'waves at dusk', seconds: 1, width: 64, height: 48 };

describe('makeDemoVideo', () => {
  test('is a WebM of VP8 under 1 MB for four seconds at 320x180', async () => {
    const video = await makeDemoVideo({ ...small, seconds: 4, width: 320, height: 180 });
    expect(video.contentType).toBe('video/webm');
    expect([...video.bytes.subarray(0, 4)]).toEqual([0x1a, 0x45, 0xdf, 0xa3]);
    expect(Buffer.from(video.bytes).includes('V_VP8')).toBe(true);
    expect(Buffer.from(video.bytes).includes('Simulation: waves at dusk')).toBe(true);
    expect(video.bytes.length).toBeLessThan(1_000_000);
  });

  test('depends on prompt and seed alone', async () => {
    const [first, again, otherSeed, otherPrompt] = await Promise.all([
      makeDemoVideo(small),
      makeDemoVideo(small),
      makeDemoVideo({ ...small, seed: 1 }),
      makeDemoVideo({ ...small, prompt: 'a forest' }),
    ]);
    expect(Buffer.compare(first.bytes, again.bytes)).toBe(0);
    expect(Buffer.compare(first.bytes, otherSeed.bytes)).not.toBe(0);
    expect(Buffer.compare(first.bytes, otherPrompt.bytes)).not.toBe(0);
  });

  test('slows down rather than cost more when the picture is large', async () => {
    const large = await makeDemoVideo({ ...small, seconds: 1, width: 1920, height: 1080 });
    expect(large.framesPerSecond).toBeLessThan((await makeDemoVideo(small)).framesPerSecond);
    expect(large.framesPerSecond).toBeGreaterThanOrEqual(4);
  });

  test('stops when the job is cancelled', async () => {
    const leaving = new AbortController();
    const making = makeDemoVideo({ ...small, seconds: 60, signal: leaving.signal });
    leaving.abort(new Error('cancelled'));
    await expect(making).rejects.toThrow('cancelled');
  });

  test.each([
    { ...small, seconds: 0 },
    { ...small, seconds: 1.5 },
    { ...small, seconds: 61 },
    { ...small, width: 8 },
    { ...small, height: 4000 },
  ])('refuses %o', async (request) => {
    await expect(makeDemoVideo(request)).rejects.toThrow(RangeError);
  });
});
