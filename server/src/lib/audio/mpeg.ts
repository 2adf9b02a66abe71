import { countFrames, type Frame } from './frames.ts';
import { isNamed, packedBytesPerSecond, type Reading, type Sound } from './sound.ts';

/** 320 kbit/s, the maximum of layer III. */
const mp3BytesPerSecond = 40_000;

const steps = (from: number, by: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => from + i * by);
const lower = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
/** Kilobits a second by version (MPEG-1 or later) and layer, for codes from 1 on. */
const kilobits: Record<'one' | 'two', Record<number, number[]>> = {
  one: {
    1: steps(32, 32, 14),
    2: [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    3: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  },
  two: { 1: [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256], 2: lower, 3: lower },
};
const rates = [44_100, 48_000, 32_000];

/** A frame of MPEG audio, layers I to III (ISO/IEC 11172-3 and 13818-3). */
function mpegFrame(file: Buffer, at: number): Frame | null {
  if (at + 4 > file.length || file[at] !== 0xff || (file[at + 1]! & 0xe0) !== 0xe0) return null;
  const version = (file[at + 1]! >> 3) & 3;
  const layer = 4 - ((file[at + 1]! >> 1) & 3);
  const base = rates[(file[at + 2]! >> 2) & 3];
  const rate = version === 3 ? base : version === 2 ? base! / 2 : base! / 4;
  const kilo = kilobits[version === 3 ? 'one' : 'two'][layer]?.[(file[at + 2]! >> 4) - 1];
  if (version === 1 || !base || !rate || !kilo) return null;
  const padding = (file[at + 2]! >> 1) & 1;
  const samples = layer === 1 ? 384 : layer === 3 && version !== 3 ? 576 : 1_152;
  const slot = layer === 1 ? 4 : 1;
  const bytes = (Math.floor((samples / 8 / slot) * ((kilo * 1000) / rate)) + padding) * slot;
  return { bytes, seconds: samples / rate, mark: (version << 4) | (layer << 2) | ((file[at + 2]! >> 2) & 3) };
}

const aacRates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350];

/** An AAC frame with a header (ISO/IEC 13818-7 §6.2, ADTS). */
function adtsFrame(file: Buffer, at: number): Frame | null {
  if (at + 7 > file.length || file[at] !== 0xff || (file[at + 1]! & 0xf6) !== 0xf0) return null;
  const code = (file[at + 2]! >> 2) & 15;
  const rate = aacRates[code];
  const bytes = ((file[at + 3]! & 3) << 11) | (file[at + 4]! << 3) | (file[at + 5]! >> 5);
  if (!rate || bytes < 7) return null;
  return { bytes, seconds: (((file[at + 6]! & 3) + 1) * 1_024) / rate, mark: code };
}

/** Start of the audio: players skip tags, including images. */
function afterTags(file: Buffer): number {
  let at = 0;
  while (isNamed(file, at, 'ID3') && at + 10 <= file.length) {
    const size = [6, 7, 8, 9].reduce((sum, i) => sum * 128 + (file[at + i]! & 0x7f), 0);
    if (at + 10 + size > file.length) break;
    at += 10 + size;
  }
  return at;
}

const kinds = [
  { frameAt: mpegFrame, mostBytesPerSecond: mp3BytesPerSecond },
  { frameAt: adtsFrame, mostBytesPerSecond: packedBytesPerSecond },
];

/** A file of which at least half consists of frames. */
export function* mpegSound(file: Buffer): Reading<Sound | null> {
  const start = afterTags(file);
  for (const { frameAt, mostBytesPerSecond } of kinds) {
    const { seconds, bytes } = yield* countFrames(file, start, frameAt);
    if (bytes > 0 && bytes >= (file.length - start) / 2)
      return { seconds, least: (file.length - start) / mostBytesPerSecond };
  }
  return null;
}

/** For files of another format, or with frames hidden among other data. */
export function* framedSeconds(file: Buffer): Reading<number> {
  let most = 0;
  for (const { frameAt } of kinds) most = Math.max(most, (yield* countFrames(file, 0, frameAt)).seconds);
  return most;
}
