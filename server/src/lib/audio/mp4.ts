import { table } from '../table.ts';
import { isNamed, packedBytesPerSecond, plausibleRate, rawBytesPerSecond, type Sound, secondsOfRest } from './sound.ts';

/** Boxes (ISO/IEC 14496-12) that are descended into. */
const containers = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'mvex', 'moof', 'traf']);

/** Samples per packet, by codec; for other codecs the file's timestamps are used. */
const packetSamples = table<number>({ mp4a: 1_024, alac: 4_096, '.mp3': 1_152, 'ac-3': 1_536, Opus: 960 });
/** Enough for an hour in fragments. */
const mostBoxes = 100_000;
const lossless = new Set(['alac', 'fLaC', 'lpcm', 'sowt', 'twos', 'ipcm']);

interface Track {
  id: number;
  sounds: boolean;
  codec: string;
  rate: number;
  timeScale: number;
  /** Of all packets together, in time scale units. */
  time: number;
  packets: number;
  bytes: number;
  /** Default duration of a packet in a fragment. */
  usualTime: number;
}

/** Number of table entries that are really present. */
const entries = (file: Buffer, at: number, end: number, each: number): number =>
  at + 4 > end ? 0 : Math.min(file.readUInt32BE(at), Math.floor((end - at - 4) / each));

type BoxReader = (track: Track, file: Buffer, at: number, end: number) => void;

/** `at` points behind the version and flags that each of these starts with. */
const readers = table<BoxReader>({
  tkhd: (track, file, at) => {
    track.id = file.readUInt32BE(at + (file[at - 4] === 1 ? 16 : 8));
  },
  mdhd: (track, file, at) => {
    track.timeScale = file.readUInt32BE(at + (file[at - 4] === 1 ? 16 : 8));
  },
  hdlr: (track, file, at) => {
    if (isNamed(file, at + 4, 'soun')) track.sounds = true;
  },
  stsd: (track, file, at) => {
    track.codec = file.toString('latin1', at + 8, at + 12);
    track.rate = file.readUInt16BE(at + 36);
  },
  stts: (track, file, at, end) => {
    for (let i = entries(file, at, end, 8), from = at + 4; i > 0; i -= 1, from += 8)
      track.time += Math.min(file.readUInt32BE(from), file.length) * file.readUInt32BE(from + 4);
  },
  stsz: (track, file, at, end) => {
    const each = file.readUInt32BE(at);
    const count = each > 0 ? Math.min(file.readUInt32BE(at + 4), file.length) : entries(file, at + 4, end, 4);
    track.packets += count;
    if (each > 0) track.bytes += each * count;
    else for (let i = 0; i < count; i += 1) track.bytes += file.readUInt32BE(at + 8 + i * 4);
  },
  trex: (track, file, at) => {
    track.usualTime = file.readUInt32BE(at + 8);
  },
  tfhd: readFragmentHead,
  trun: readRun,
});

/** Fields of a fragment header before the packet duration, by the flag that announces them. */
const beforeTime: [flag: number, bytes: number][] = [
  [1, 8],
  [2, 4],
];

function readFragmentHead(track: Track, file: Buffer, at: number): void {
  const flags = file.readUIntBE(at - 3, 3);
  const start = beforeTime.reduce((sum, [flag, bytes]) => sum + (flags & flag ? bytes : 0), at + 4);
  if (flags & 8) track.usualTime = file.readUInt32BE(start);
}

/** Packets of a fragment, each with the fields that the flags announce: duration, size, flags, offset. */
function readRun(track: Track, file: Buffer, at: number, end: number): void {
  const flags = file.readUIntBE(at - 3, 3);
  const width = [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length * 4;
  let from = at + 4 + (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0);
  const count = Math.min(file.readUInt32BE(at), width > 0 ? Math.floor((end - from) / width) : file.length);
  track.packets += Math.max(0, count);
  if (!(flags & 0x100)) track.time += Math.max(0, count) * track.usualTime;
  for (let i = 0; i < count && width > 0; i += 1, from += width) {
    if (flags & 0x100) track.time += file.readUInt32BE(from);
    if (flags & 0x200) track.bytes += file.readUInt32BE(from + (flags & 0x100 ? 4 : 0));
  }
}

function* boxes(file: Buffer, from: number, to: number): Generator<[name: string, at: number, end: number]> {
  for (let at = from; at + 8 <= to; ) {
    const short = file.readUInt32BE(at);
    const head = short === 1 ? 16 : 8;
    if (at + head > to) return;
    const size = short === 1 ? file.readUInt32BE(at + 8) * 2 ** 32 + file.readUInt32BE(at + 12) : short || to - at;
    if (size < head) return;
    const end = Math.min(at + size, to);
    yield [file.toString('latin1', at + 4, at + 8), at + head, end];
    at = end;
  }
}

/** The tracks of a file and of its fragments, each of which names its track. */
class Tracks {
  readonly all: Track[] = [];
  readonly #byId = new Map<number, Track>();
  #current: Track | undefined;
  boxes = 0;

  read(file: Buffer, from: number, to: number, depth = 0): void {
    for (const [name, at, end] of boxes(file, from, to)) {
      this.boxes += 1;
      if (this.boxes > mostBoxes) return;
      if (name === 'trak') this.#begin();
      if (containers.has(name) && depth < 8) this.read(file, at, end, depth + 1);
      else if (at + 12 <= end) this.#take(name, file, at + 4, end);
    }
  }

  #begin(): void {
    this.#current = {
      id: 0,
      sounds: false,
      codec: '',
      rate: 0,
      timeScale: 0,
      time: 0,
      packets: 0,
      bytes: 0,
      usualTime: 0,
    };
    this.all.push(this.#current);
  }

  #take(name: string, file: Buffer, at: number, end: number): void {
    if (name === 'tfhd' || name === 'trex') this.#current = this.#byId.get(file.readUInt32BE(at));
    const track = this.#current;
    if (!track) return;
    try {
      readers[name]?.(track, file, at, end);
    } catch (error) {
      // A truncated box at the end of the file.
      if (!(error instanceof RangeError)) throw error;
    }
    if (name === 'tkhd') this.#byId.set(track.id, track);
  }
}

function trackSound({ codec, rate, timeScale, time, packets, bytes }: Track): Sound {
  const byPackets = (packets * (packetSamples[codec] ?? 0)) / Math.min(plausibleRate(rate || timeScale), 96_000);
  const byTimes = timeScale > 0 ? time / timeScale : 0;
  const mostBytesPerSecond = lossless.has(codec) ? rawBytesPerSecond : packedBytesPerSecond;
  return { seconds: Math.max(byPackets, byTimes), least: bytes / mostBytesPerSecond };
}

/** By the packets of the audio track, or by their timestamps if those are longer; of several tracks the longest. */
export function mp4Sound(file: Buffer): Sound | null {
  if (!isNamed(file, 4, 'ftyp')) return null;
  const tracks = new Tracks();
  tracks.read(file, 0, file.length);
  if (tracks.boxes > mostBoxes) return { seconds: secondsOfRest(file, 0), least: 0 };
  const sounds = tracks.all.filter((track) => track.sounds).map(trackSound);
  if (sounds.length === 0) return null;
  return sounds.reduce((a, b) => ({ seconds: Math.max(a.seconds, b.seconds), least: Math.max(a.least, b.least) }));
}
