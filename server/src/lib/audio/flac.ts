import { heard, isNamed, isTurn, mostSteps, plausibleRate, type Reading, type Sound } from './sound.ts';

const crcTable = Uint8Array.from({ length: 256 }, (_, value) => {
  let crc = value;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x80 ? (crc << 1) ^ 0x07 : crc << 1;
  return crc & 0xff;
});

interface Frame {
  samples: number;
  /** Number of the frame, or of its first sample if frames vary in length. */
  number: number;
  variable: boolean;
}

/** A number in UTF-8-like coding and its length in bytes; 0 bytes if there is none. */
function codedNumber(file: Buffer, at: number): [value: number, bytes: number] {
  const first = file[at]!;
  if (first < 0x80) return [first, 1];
  const bytes = Math.clz32(~(first << 24));
  if (bytes < 2 || bytes > 7) return [0, 0];
  let value = bytes === 7 ? 0 : first & (0x7f >> bytes);
  for (let i = 1; i < bytes; i += 1) value = value * 64 + (file[at + i]! & 0x3f);
  return [value, bytes];
}

/** The frame header at this position (RFC 9639 §9.1), if its checksum is correct. */
function frameAt(file: Buffer, at: number): Frame | null {
  if (at + 6 > file.length || (file[at + 1]! & 0xfe) !== 0xf8 || file[at + 3]! & 1) return null;
  const sizeCode = file[at + 2]! >> 4;
  const rateCode = file[at + 2]! & 15;
  if (sizeCode === 0 || rateCode === 15 || file[at + 3]! >> 4 > 10) return null;
  const [number, bytes] = codedNumber(file, at + 4);
  const sizeAt = at + 4 + bytes;
  let end = sizeAt;
  end += sizeCode === 6 ? 1 : sizeCode === 7 ? 2 : 0;
  end += rateCode === 12 ? 1 : rateCode === 13 || rateCode === 14 ? 2 : 0;
  if (end >= file.length) return null;
  let crc = 0;
  for (let i = at; i < end; i += 1) crc = crcTable[crc ^ file[i]!]!;
  if (bytes === 0 || crc !== file[end]) return null;
  return { samples: samplesOf(file, sizeAt, sizeCode), number, variable: (file[at + 1]! & 1) === 1 };
}

function samplesOf(file: Buffer, at: number, code: number): number {
  if (code === 1) return 192;
  if (code < 6) return 576 << (code - 2);
  if (code === 6) return file[at]! + 1;
  return code === 7 ? file.readUInt16BE(at) + 1 : 256 << (code - 8);
}

/** Counts the samples of all frames; the total in the file header is used only if there are no frames. */
export function* flacSound(file: Buffer): Reading<Sound | null> {
  if (!isNamed(file, 0, 'fLaC') || file.length < 42) return null;
  const rate = plausibleRate(file.readUIntBE(18, 3) >> 4);
  let [inOrder, all, frames] = [0, 0, 0];
  let at = file.indexOf(0xff, 42);
  for (let steps = 0; at >= 0 && steps < mostSteps; steps += 1, at = file.indexOf(0xff, at + 1)) {
    if (isTurn(steps)) yield;
    const frame = frameAt(file, at);
    if (!frame) continue;
    all += frame.samples;
    // Audio data can look like a frame header; only consecutively numbered frames are real.
    if (frame.number !== (frame.variable ? inOrder : frames)) continue;
    inOrder += frame.samples;
    frames += 1;
  }
  const claimed = (file[21]! & 15) * 2 ** 32 + file.readUInt32BE(22);
  const samples = all === 0 ? claimed : inOrder >= all * 0.9 ? inOrder : all;
  return heard(file, samples / rate, at);
}
