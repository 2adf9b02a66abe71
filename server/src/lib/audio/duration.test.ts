import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { mp3 } from '../../relay/providers/demo/audio/mp3.ts';
import { durationOf, soundOf } from './duration.ts';
import { flacFile } from './flac.fixture.ts';
import {
  adtsFile,
  type Made,
  m4aFile,
  mp3File,
  oggOpusFile,
  type WavHead,
  wavFile,
  webmOpusFile,
} from './sounds.fixture.ts';

const count = fc.integer({ min: 1, max: 300 });
const sizes = fc.array(fc.integer({ min: 8, max: 250 }), { minLength: 1, maxLength: 200 });
const head: fc.Arbitrary<WavHead> = fc.record({
  tag: fc.constantFrom(1, 3, 0xfffe),
  channels: fc.constantFrom(1, 2),
  rate: fc.constantFrom(8_000, 16_000, 22_050, 44_100, 48_000, 96_000),
  bits: fc.constantFrom(8, 16, 24),
});

const notes = (frames: number) => [{ frequency: 440, frames, rest: 1 }];
const honest: Record<string, fc.Arbitrary<Made>> = {
  wav: fc.tuple(head, count).map(([one, n]) => wavFile(one, n * 1_200)),
  'wav with a tail': fc.tuple(head, count).map(([one, n]) => {
    const { bytes, seconds } = wavFile(one, n * 1_200);
    const list = Buffer.from('LIST\x04\x00\x00\x00INFO', 'latin1');
    return { bytes: Buffer.concat([bytes, list]), seconds };
  }),
  'wav of unknown size': fc
    .tuple(head, count, fc.constantFrom(0, 0xffffffff))
    .map(([one, n, dataSize]) => wavFile({ ...one, dataSize }, n * 1_200)),
  flac: fc.integer({ min: 1, max: 60 }).map(flacFile),
  mp3: fc.integer({ min: 1, max: 60 }).map((frames) => ({
    bytes: Buffer.concat([...mp3(notes(frames))]),
    seconds: ((frames + 2) * 576) / 24_000,
  })),
  'mp3 of changing rate': fc
    .array(fc.integer({ min: 1, max: 14 }), { minLength: 2, maxLength: 200 })
    .map((codes) => mp3File(codes)),
  'mp3 with a picture': fc.array(fc.integer({ min: 1, max: 14 }), { minLength: 2, maxLength: 50 }).map((codes) => {
    const tag = Buffer.concat([
      Buffer.from('ID3\x04\x00\x00\x00\x01\x00\x00', 'latin1'),
      Buffer.alloc(128 * 128, 0xff),
    ]);
    const { bytes, seconds } = mp3File(codes);
    return { bytes: Buffer.concat([tag, bytes]), seconds };
  }),
  aac: sizes.filter((list) => list.length > 1).map(adtsFile),
  ogg: sizes.map((list) => oggOpusFile(list)),
  webm: sizes.map((list) => webmOpusFile(list)),
  m4a: sizes.map((list) => m4aFile(list)),
};

describe('duration of valid files', () => {
  test.each(Object.entries(honest))('%s', (_, arbitrary) => {
    return fc.assert(
      fc.asyncProperty(arbitrary, async ({ bytes, seconds }) => {
        expect(await durationOf(bytes)).toBeCloseTo(seconds, 2);
      }),
      { numRuns: 100 },
    );
  });
});

/** The same sound, with something else said of it. */
const u32 = fc.integer({ min: 0, max: 0xffffffff });
const forged: Record<string, fc.Arbitrary<[bytes: Buffer, seconds: number]>> = {
  'byte rate of a WAV': fc.tuple(head, count, u32).map(([one, n, byteRate]) => {
    const { bytes, seconds } = wavFile({ ...one, byteRate }, n * 1_200);
    return [bytes, seconds];
  }),
  'size of the sound in a WAV': fc.tuple(head, count, u32).map(([one, n, dataSize]) => {
    const { bytes, seconds } = wavFile({ ...one, dataSize }, n * 1_200);
    return [bytes, seconds];
  }),
  'samples of a FLAC': fc.tuple(fc.integer({ min: 1, max: 60 }), u32).map(([frames, samples]) => {
    const { bytes, seconds } = flacFile(frames);
    bytes.writeUInt32BE(samples, 22);
    return [bytes, seconds];
  }),
  'positions of an Ogg': fc.tuple(sizes, u32).map(([list, position]) => {
    const { bytes, seconds } = oggOpusFile(list, () => position);
    return [bytes, seconds];
  }),
  'times of a WebM': fc.tuple(sizes, fc.nat(1_000)).map(([list, time]) => {
    const { bytes, seconds } = webmOpusFile(list, () => time);
    return [bytes, seconds];
  }),
  'times of an M4A': fc
    .tuple(sizes, fc.record({ timeScale: u32, delta: fc.nat(1_024), duration: u32 }))
    .map(([list, claims]) => {
      const { bytes, seconds } = m4aFile(list, claims);
      return [bytes, seconds];
    }),
  'something between the frames of an MP3': fc
    .tuple(
      fc.array(fc.integer({ min: 1, max: 14 }), { minLength: 2, maxLength: 100 }),
      fc.integer({ min: 1, max: 400 }),
    )
    .map(([codes, gap]) => {
      const { bytes, seconds } = mp3File(codes, Buffer.alloc(gap));
      return [bytes, seconds];
    }),
};

describe('forged headers do not make a file shorter', () => {
  test.each(Object.entries(forged))('%s', (_, arbitrary) => {
    return fc.assert(
      fc.asyncProperty(arbitrary, async ([bytes, seconds]) => {
        expect(await durationOf(bytes)).toBeGreaterThanOrEqual(seconds - 0.06);
      }),
      { numRuns: 200 },
    );
  });

  test('any WAV header: the duration is never below what the size allows', () => {
    const field = fc.integer({ min: 0, max: 0xffff });
    const any = fc.record({ tag: field, channels: field, rate: u32, bits: field, byteRate: u32, dataSize: u32 });
    return fc.assert(
      fc.asyncProperty(any, count, async (one, n) => {
        const { bytes } = wavFile(one, n * 1_200);
        expect(await durationOf(bytes)).toBeGreaterThanOrEqual(Math.floor((bytes.length / 1_152_000) * 1000) / 1000);
      }),
      { numRuns: 500 },
    );
  });
});

describe('invalid audio data', () => {
  const samples = [
    wavFile({ tag: 1, channels: 1, rate: 16_000, bits: 16 }, 3_000),
    flacFile(9),
    mp3File([5, 9, 14, 1]),
    adtsFile([90, 50, 60]),
    oggOpusFile([50, 60, 70]),
    webmOpusFile([50, 60, 70]),
    m4aFile([50, 60, 70]),
  ].map(({ bytes }) => bytes);

  test('any bytes give a finite duration, not below the minimum', () => {
    const change = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }));
    const broken = fc
      .tuple(fc.constantFrom(...samples), fc.array(change, { maxLength: 20 }), fc.nat())
      .map(([sample, changes, cut]) => {
        const bytes = Buffer.from(sample);
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        return bytes.subarray(0, bytes.length - (cut % bytes.length));
      });
    return fc.assert(
      fc.asyncProperty(fc.oneof(broken, broken, fc.uint8Array({ maxLength: 300 })), async (bytes) => {
        const { seconds, least } = await soundOf(bytes);
        expect(Number.isFinite(seconds) && seconds >= least && least >= 0).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });

  test('files crafted to be slow do not block other work', async () => {
    const start = (i: number): Buffer => samples[i]!;
    const busy: [Buffer, number[]][] = [
      [Buffer.from('none'), [0xff]],
      [start(1), [0xff, 0xf8, 0xc9, 0x18]],
      [start(3), [0xff, 0xf1, 0x60, 0x40, 0, 0xff, 0xfc]],
      [start(5), [0xec, 0x80]],
    ];
    for (const [sample, fill] of busy) {
      let turns = 0;
      let over = false;
      const count = () => {
        turns += 1;
        if (!over) setImmediate(count);
      };
      count();
      const bytes = Buffer.concat([sample, Buffer.alloc(2 * 1024 * 1024, Buffer.from(fill))]);
      expect(await durationOf(bytes)).toBeGreaterThan(1);
      over = true;
      expect(turns).toBeGreaterThan(10);
    }
  });
});
