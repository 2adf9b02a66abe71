import { describe, expect, test } from 'bun:test';
import { makeDemoVideo } from './make-demo-video.ts';

const small = { prompt: 'waves at dusk', seconds: 1, width: 64, height: 48 };

describe('makeDemoVideo', () => {
  test('returns a VP8 WebM under 1 MB for four seconds at 320x180', () => {
    const video = makeDemoVideo({ ...small, seconds: 4, width: 320, height: 180 });
    expect(video.contentType).toBe('video/webm');
    expect([...video.bytes.subarray(0, 4)]).toEqual([0x1a, 0x45, 0xdf, 0xa3]);
    expect(Buffer.from(video.bytes).includes('V_VP8')).toBe(true);
    expect(Buffer.from(video.bytes).includes('Simulation: waves at dusk')).toBe(true);
    // DisplayWidth and DisplayHeight, eight bytes each.
    expect(Buffer.from(video.bytes).includes(Buffer.from('54b001000000000000080000000000000140', 'hex'))).toBe(true);
    expect(Buffer.from(video.bytes).includes(Buffer.from('54ba010000000000000800000000000000b4', 'hex'))).toBe(true);
    expect(video.bytes.length).toBeLessThan(1_000_000);
  });

  test('depends only on the request', () => {
    const [first, again, otherPrompt, longer] = [
      makeDemoVideo(small),
      makeDemoVideo(small),
      makeDemoVideo({ ...small, prompt: 'a forest' }),
      makeDemoVideo({ ...small, seconds: 2 }),
    ];
    expect(Buffer.compare(first.bytes, again.bytes)).toBe(0);
    expect(Buffer.compare(first.bytes, otherPrompt.bytes)).not.toBe(0);
    expect(longer.bytes.length).toBeGreaterThan(1.5 * first.bytes.length);
  });

  test.each([
    { ...small, seconds: 0 },
    { ...small, seconds: 1.5 },
    { ...small, seconds: 61 },
    { ...small, width: 8 },
    { ...small, height: 4000 },
  ])('rejects %o', (request) => {
    expect(() => makeDemoVideo(request)).toThrow(RangeError);
  });
});
