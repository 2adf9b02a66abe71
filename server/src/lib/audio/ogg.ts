import { opusPacketSeconds } from './opus.ts';
import {
  heard,
  isNamed,
  mostSteps,
  packedBytesPerSecond,
  plausibleRate,
  type Reading,
  rawBytesPerSecond,
  type Sound,
} from './sound.ts';

/** One stream of a file; several may follow one another. */
interface Stream {
  codec: 'opus' | 'other';
  rate: number;
  /** Packets so far, and whether the last one continues on the next page. */
  packets: number;
  goesOn: boolean;
  samples: number;
  seconds: number;
}

/** Concatenated songs; each is kept in memory until the end. */
const mostStreams = 1_000;
const pageMark = 0x4f676753;
const isPage = (file: Buffer, at: number): boolean => at + 28 <= file.length && file.readUInt32BE(at) === pageMark;

function streamAt(file: Buffer, at: number): Stream {
  const vorbis = isNamed(file, at, '\x01vorbis');
  const speex = isNamed(file, at, 'Speex   ');
  const rateAt = vorbis ? at + 12 : speex ? at + 36 : isNamed(file, at, '\x7fFLAC') ? -1 : -2;
  let rate = 48_000;
  if (rateAt >= 0 && rateAt + 4 <= file.length) rate = file.readUInt32LE(rateAt);
  if (rateAt === -1 && at + 30 <= file.length) rate = file.readUIntBE(at + 27, 3) >> 4;
  const codec = isNamed(file, at, 'OpusHead') ? 'opus' : 'other';
  return { codec, rate: plausibleRate(rate), packets: 0, goesOn: false, samples: 0, seconds: 0 };
}

/** Reads the packets of a page, whose segment table starts at `table`; returns where the page ends. */
function readPage(file: Buffer, table: number, stream: Stream): number {
  const pieces = file[table - 1]!;
  let at = table + pieces;
  let begins = !stream.goesOn;
  for (let i = 0; i < pieces && at < file.length; i += 1) {
    const size = file[table + i]!;
    if (begins) {
      stream.packets += 1;
      // The first two packets are headers.
      if (stream.codec === 'opus' && stream.packets > 2 && size > 0) stream.seconds += opusPacketSeconds(file, at);
    }
    at += size;
    begins = size < 255;
  }
  stream.goesOn = !begins;
  return at;
}

/** Opus by its packets; other codecs by the page's granule position, as their decoders do. */
export function* oggSound(file: Buffer): Reading<Sound | null> {
  if (!isNamed(file, 0, 'OggS')) return null;
  const streams = new Map<number, Stream>();
  const all: Stream[] = [];
  let mostBytesPerSecond = packedBytesPerSecond;
  let [at, steps, pages] = [0, 0, 0];
  while (at >= 0 && at + 28 <= file.length && steps < mostSteps) {
    const serial = file.readUInt32LE(at + 14);
    const body = at + 27 + file[at + 26]!;
    let stream = streams.get(serial);
    if (!stream || (file[at + 5]! & 2 && all.length < mostStreams)) {
      stream = streamAt(file, body);
      if (isNamed(file, body, '\x7fFLAC')) mostBytesPerSecond = rawBytesPerSecond;
      streams.set(serial, stream);
      all.push(stream);
    }
    const position = file.readUInt32LE(at + 6) + file.readUInt32LE(at + 10) * 2 ** 32;
    // All ones: no packet ends on this page.
    if (position < 2 ** 53) stream.samples = Math.max(stream.samples, position);
    const end = readPage(file, at + 27, stream);
    steps += 1 + file[at + 26]!;
    pages += 1;
    if (pages % 128 === 0) yield;
    at = isPage(file, end) ? end : file.indexOf('OggS', Math.max(end, at + 4), 'latin1');
  }
  const seconds = all.reduce((sum, one) => sum + (one.codec === 'opus' ? one.seconds : one.samples / one.rate), 0);
  return heard(file, seconds, steps < mostSteps ? -1 : at, mostBytesPerSecond);
}
