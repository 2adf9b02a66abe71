import { opusPacketSeconds } from './opus.ts';
import {
  isTurn,
  mostSteps,
  packedBytesPerSecond,
  type Reading,
  rawBytesPerSecond,
  type Sound,
  secondsOfRest,
} from './sound.ts';

/** Elements (RFC 8794) that are descended into; others are skipped. */
const segment = 0x18538067;
const cluster = 0x1f43b675;
const trackEntry = 0xae;
const containers = new Set([segment, cluster, trackEntry, 0x1654ae6b, 0x1549a966, 0xa0]);
const [timeScale, trackNumber, trackType, codecId, clusterTime, simpleBlock, block] = [
  ...[0x2ad7b1, 0xd7, 0x83, 0x86, 0xe7, 0xa3, 0xa1],
];

/** A video has a few. */
const mostTracks = 32;

interface Track {
  number: number;
  sounds: boolean;
  codec: string;
}

class Tally {
  readonly tracks: Track[] = [];
  scaleNs = 1_000_000;
  time = 0;
  /** By Opus packets, or by block timestamps. */
  opusSeconds = 0;
  firstTime: number | undefined;
  lastTime = 0;
  soundBytes = 0;
  mostBytesPerSecond = packedBytesPerSecond;

  take(file: Buffer, id: number, at: number, size: number): void {
    if (id === trackEntry && this.tracks.length < mostTracks) this.tracks.push({ number: 0, sounds: false, codec: '' });
    const track = this.tracks.at(-1);
    if (id === timeScale) this.scaleNs = uint(file, at, size) || this.scaleNs;
    else if (id === clusterTime) this.time = uint(file, at, size);
    else if (id === simpleBlock || id === block) this.#block(file, at, size);
    else if (!track) return;
    else if (id === trackNumber) track.number = uint(file, at, size);
    else if (id === trackType) track.sounds = uint(file, at, size) === 2;
    else if (id === codecId) track.codec = file.toString('latin1', at, at + Math.min(size, 32));
  }

  #block(file: Buffer, at: number, size: number): void {
    const [number, bytes] = vint(file, at, false);
    const track = this.tracks.find((one) => one.number === number);
    const start = at + bytes + 3;
    if (!track?.sounds || start > file.length) return;
    const time = this.time + file.readInt16BE(at + bytes);
    this.firstTime ??= time;
    this.lastTime = Math.max(this.lastTime, time);
    this.soundBytes += size;
    // Several packets may be laced together; they have equal durations.
    const laced = file[start - 1]! & 6 ? (file[start] ?? 0) + 1 : 1;
    if (track.codec.startsWith('A_OPUS'))
      this.opusSeconds += laced * opusPacketSeconds(file, laced > 1 ? start + laced : start);
    if (/^A_(PCM|FLAC|ALAC)/.test(track.codec)) this.mostBytesPerSecond = rawBytesPerSecond;
  }

  sound(): Sound {
    const span = ((this.lastTime - (this.firstTime ?? 0)) * this.scaleNs) / 1e9;
    return { seconds: Math.max(span, this.opusSeconds), least: this.soundBytes / this.mostBytesPerSecond };
  }
}

/** A variable-length integer (RFC 8794 §4) and its size in bytes; ids keep their length marker. */
function vint(file: Buffer, at: number, marked: boolean): [value: number, bytes: number] {
  const first = file[at] ?? 0;
  const bytes = Math.clz32(first << 24) + 1;
  if (bytes > 8) return [0, 1];
  let value = marked ? first : first & (0xff >> bytes);
  for (let i = 1; i < bytes; i += 1) value = value * 256 + (file[at + i] ?? 0);
  return [value, bytes];
}

function uint(file: Buffer, at: number, size: number): number {
  let value = 0;
  for (let i = 0; i < Math.min(size, 8); i += 1) value = value * 256 + (file[at + i] ?? 0);
  return value;
}

export function* webmSound(file: Buffer): Reading<Sound | null> {
  if (file.length < 4 || file.readUInt32BE(0) !== 0x1a45dfa3) return null;
  const tally = new Tally();
  let at = 0;
  for (let steps = 0; at < file.length && steps < mostSteps; steps += 1) {
    if (isTurn(steps)) yield;
    const [id, idBytes] = vint(file, at, true);
    const [size, sizeBytes] = vint(file, at + idBytes, false);
    at += idBytes + sizeBytes;
    tally.take(file, id, at, Math.min(size, file.length - at));
    if (!containers.has(id)) at += size;
  }
  const { seconds, least } = tally.sound();
  return { seconds: seconds + secondsOfRest(file, at), least };
}
