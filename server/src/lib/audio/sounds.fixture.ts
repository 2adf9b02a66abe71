/** For tests: sound files of a length that is known, without sound in them. */
export interface Made {
  bytes: Buffer;
  seconds: number;
}

const u16le = (value: number): Buffer => Buffer.from([value & 255, (value >> 8) & 255]);
const u32le = (value: number): Buffer => Buffer.concat([u16le(value & 0xffff), u16le(value >>> 16)]);
const u32 = (value: number): Buffer => u32le(value).reverse();
const text = (value: string): Buffer => Buffer.from(value, 'latin1');

export interface WavHead {
  tag: number;
  channels: number;
  rate: number;
  bits: number;
  /** What the head says of them, though nobody asks. */
  byteRate?: number;
  /** What the head of the sound says of its size. */
  dataSize?: number;
}

export function wavFile(head: WavHead, data: number): Made {
  const { tag, channels, rate, bits } = head;
  const byteRate = (rate * channels * bits) / 8;
  const format = [u16le(tag), u16le(channels), u32le(rate), u32le(head.byteRate ?? byteRate), u16le(0), u16le(bits)];
  const parts = [text('RIFF'), u32le(36 + data), text('WAVEfmt '), u32le(16), ...format];
  const bytes = Buffer.concat([...parts, text('data'), u32le(head.dataSize ?? data), Buffer.alloc(data)]);
  return { bytes, seconds: data / byteRate };
}

export const silence = (seconds: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(wavFile({ tag: 1, channels: 1, rate: 8_000, bits: 16 }, seconds * 16_000).bytes);

const kilobits = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];

/** MPEG-1 layer III at 48 kHz; each frame with a rate of its own, by its code from 1 to 14. */
export function mp3File(codes: number[], between = Buffer.alloc(0)): Made {
  const frames = codes.map((code) => {
    const frame = Buffer.alloc(Math.floor((144 * kilobits[code - 1]! * 1000) / 48_000));
    frame.set([0xff, 0xfb, (code << 4) | 4, 0xc0]);
    return Buffer.concat([frame, between]);
  });
  return { bytes: Buffer.concat(frames), seconds: (codes.length * 1_152) / 48_000 };
}

/** Low-complexity AAC at 16 kHz. */
export function adtsFile(sizes: number[]): Made {
  const frames = sizes.map((size) => {
    const bytes = size + 7;
    const frame = Buffer.alloc(bytes);
    frame.set([0xff, 0xf1, 0x60, 0x40 | (bytes >> 11), (bytes >> 3) & 255, ((bytes & 7) << 5) | 31, 0xfc]);
    return frame;
  });
  return { bytes: Buffer.concat(frames), seconds: (sizes.length * 1_024) / 16_000 };
}

/** One packet of 20 ms, of speech in a narrow band. */
const opusPacket = (size: number): Buffer => Buffer.concat([Buffer.from([0x08]), Buffer.alloc(size)]);

function oggPage(packets: Buffer[], position: number, flags: number): Buffer {
  const table = packets.flatMap(({ length }) => [...Array(Math.floor(length / 255)).fill(255), length % 255]);
  const head = [text('OggS'), Buffer.from([0, flags]), u32le(position), u32le(0), u32le(7), u32le(0), u32le(0)];
  return Buffer.concat([...head, Buffer.from([table.length]), Buffer.from(table), ...packets]);
}

/** `position`: what the pages say of the time. */
export function oggOpusFile(sizes: number[], position = (at: number): number => at * 960): Made {
  const pages = [oggPage([text('OpusHead')], 0, 2), oggPage([text('OpusTags')], 0, 0)];
  for (const [i, size] of sizes.entries()) pages.push(oggPage([opusPacket(size)], position(i + 1), 0));
  return { bytes: Buffer.concat(pages), seconds: sizes.length * 0.02 };
}

const element = (id: number[], body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(id), Buffer.from([0x10]).fill(0x10), u32(body.length).subarray(1), body]);
/** Of unknown size, as whoever records live must write it. */
const open = (id: number[], body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(id), Buffer.from([0x01, 255, 255, 255, 255, 255, 255, 255]), body]);

export function webmOpusFile(sizes: number[], time = (at: number): number => at * 20): Made {
  const entry = [element([0xd7], Buffer.from([1])), element([0x83], Buffer.from([2])), element([0x86], text('A_OPUS'))];
  const tracks = element([0x16, 0x54, 0xae, 0x6b], element([0xae], Buffer.concat(entry)));
  const clusters = sizes.map((size, i) => {
    const block = Buffer.concat([Buffer.from([0x81, 0, 0, 0x80]), opusPacket(size)]);
    return open([0x1f, 0x43, 0xb6, 0x75], Buffer.concat([element([0xe7], u32(time(i))), element([0xa3], block)]));
  });
  const head = element([0x1a, 0x45, 0xdf, 0xa3], Buffer.alloc(4));
  const bytes = Buffer.concat([head, open([0x18, 0x53, 0x80, 0x67], Buffer.concat([tracks, ...clusters]))]);
  return { bytes, seconds: sizes.length * 0.02 };
}

const box = (name: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([u32(8 + body.length), text(name), body]);
};
const fullBox = (name: string, ...parts: Buffer[]): Buffer => box(name, u32(0), ...parts);

export interface M4aClaims {
  timeScale?: number;
  delta?: number;
  duration?: number;
}

/** AAC at 16 kHz. */
export function m4aFile(sizes: number[], { timeScale = 16_000, delta = 1_024, duration }: M4aClaims = {}): Made {
  const claimed = u32(duration ?? sizes.length * 1_024);
  const sample = box('mp4a', Buffer.alloc(16), u32(0x20010), u32(0), Buffer.from([0x3e, 0x80, 0, 0]));
  const table = box(
    'stbl',
    fullBox('stsd', u32(1), sample),
    fullBox('stts', u32(1), u32(sizes.length), u32(delta)),
    fullBox('stsz', u32(0), u32(sizes.length), ...sizes.map(u32)),
  );
  const times = [u32(0), u32(0), u32(timeScale), claimed];
  const media = box('mdia', fullBox('mdhd', ...times), fullBox('hdlr', u32(0), text('soun')), box('minf', table));
  const moov = box('moov', fullBox('mvhd', ...times), box('trak', fullBox('tkhd', u32(0), u32(0), u32(1)), media));
  const mdat = box('mdat', Buffer.alloc(sizes.reduce((sum, size) => sum + size, 0)));
  return { bytes: Buffer.concat([box('ftyp', text('M4A ')), mdat, moov]), seconds: (sizes.length * 1_024) / 16_000 };
}
