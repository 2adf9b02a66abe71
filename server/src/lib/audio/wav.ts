import { isNamed, plausibleRate, rawBytesPerSecond, type Sound } from './sound.ts';

interface Format {
  bytesPerSecond: number;
}

/** Bits per sample by format tag: PCM and float state it in the header, A-law, µ-law and ADPCM do not. */
const bitsByTag: Record<number, number> = { 2: 4, 6: 8, 7: 8, 17: 4 };
const extensible = 0xfffe;
const slowest = 2_000;
/** Real files have a handful. */
const mostChunks = 1_000;

/** Ignores the header's byte rate, as decoders do. */
function formatOf(file: Buffer, at: number): Format | null {
  if (at + 16 > file.length) return null;
  const tag = file.readUInt16LE(at);
  if (tag !== 1 && tag !== 3 && tag !== extensible && !(tag in bitsByTag)) return null;
  const bits = bitsByTag[tag] ?? file.readUInt16LE(at + 14);
  const bytesPerSecond = (plausibleRate(file.readUInt32LE(at + 4)) * file.readUInt16LE(at + 2) * bits) / 8;
  return { bytesPerSecond: Math.min(Math.max(bytesPerSecond, slowest), rawBytesPerSecond) };
}

const isChunk = (file: Buffer, at: number): boolean =>
  at + 8 <= file.length &&
  /^[ -~]{4}$/.test(file.toString('latin1', at, at + 4)) &&
  file.readUInt32LE(at + 4) <= file.length - at - 8;

/** All `data` chunks count, since players play all of them; so does trailing data that is no chunk. */
export function wavSound(file: Buffer): Sound | null {
  if (!(isNamed(file, 0, 'RIFF') || isNamed(file, 0, 'RF64')) || !isNamed(file, 8, 'WAVE')) return null;
  let format: Format | null = null;
  let sound = 0;
  let at = 12;
  for (let chunks = 0; at + 8 <= file.length && chunks < mostChunks; chunks += 1) {
    const size = file.readUInt32LE(at + 4);
    const start = at + 8;
    const isSound = isNamed(file, at, 'data');
    if (isNamed(file, at, 'fmt ')) format ??= formatOf(file, start);
    // Streamed files claim 4 GB or nothing; the bytes that are present count.
    const open = size === 0 || start + size > file.length;
    const end = isSound && open ? file.length : Math.min(start + size + (size % 2), file.length);
    if (isSound) sound += end - start;
    at = end;
    if (isSound && !isChunk(file, at)) break;
  }
  if (!format) return null;
  sound += Math.max(0, file.length - at);
  return { seconds: sound / format.bytesPerSecond, least: file.length / rawBytesPerSecond };
}
