import type { Made } from './sounds.fixture.ts';

const [sampleRate, frameSamples] = [24_000, 576];

/** Writes numbers of any number of bits, highest first. */
class BitWriter {
  private readonly bytes: number[] = [];
  private pending = 0;
  private free = 8;

  put(value: number, bits: number): this {
    for (let bit = bits - 1; bit >= 0; bit -= 1) {
      this.free -= 1;
      // Divided rather than shifted: shifts see 32 bits only, and FLAC counts samples in 36.
      if (Math.floor(value / 2 ** bit) % 2 === 1) this.pending |= 1 << this.free;
      if (this.free === 0) {
        this.bytes.push(this.pending);
        this.pending = 0;
        this.free = 8;
      }
    }
    return this;
  }

  get bitLength(): number {
    return this.bytes.length * 8 + (8 - this.free);
  }

  /** The bytes so far, the last filled up with zeros, or all of a given length. */
  finish(length = Math.ceil(this.bitLength / 8)): Uint8Array {
    const out = new Uint8Array(length);
    out.set(this.free === 8 ? this.bytes : [...this.bytes, this.pending]);
    return out;
  }
}

/** CRC of the given width and polynomial, zero start, highest bit first (RFC 9639 §9.1.8, §9.3). */
function crc(bytes: Uint8Array, width: 8 | 16, polynomial: number): number {
  const top = 1 << (width - 1);
  const mask = (1 << width) - 1;
  let value = 0;
  for (const byte of bytes) {
    value ^= byte << (width - 8);
    for (let bit = 0; bit < 8; bit += 1) value = (value & top ? (value << 1) ^ polynomial : value << 1) & mask;
  }
  return value;
}

/** RFC 9639 §8.2; the MD5 of the samples stays zero, which means unknown. */
function streamInfo(samples: number): Uint8Array {
  const bits = new BitWriter();
  bits.put(0x664c6143, 32); // "fLaC"
  bits.put(0x80, 8).put(34, 24); // last metadata block, STREAMINFO
  bits.put(frameSamples, 16).put(frameSamples, 16).put(0, 24).put(0, 24);
  bits.put(sampleRate, 20).put(0, 3).put(15, 5).put(samples, 36);
  return bits.finish(42);
}

/** Frame numbers are coded like UTF-8 (RFC 9639 §9.1.5). */
const coded = (value: number): Uint8Array => new TextEncoder().encode(String.fromCodePoint(value));

/** One block: silence as a constant, sound by the fixed predictor of order 2 with Rice codes (RFC 9639 §9.2). */
function frame(number: number, samples: Int16Array): Uint8Array {
  // Sync with fixed block size; size given as 16 bits; 24 kHz; one channel; 16 bits a sample.
  const head = [
    0xff,
    0xf8,
    0b0111_0111,
    0b0000_1000,
    ...coded(number),
    (samples.length - 1) >> 8,
    (samples.length - 1) & 255,
  ];
  head.push(crc(Uint8Array.from(head), 8, 0x07));
  const bits = new BitWriter();
  for (const byte of head) bits.put(byte, 8);
  if (samples.every((sample) => sample === samples[0])) bits.put(0, 8).put(samples[0]! & 0xffff, 16);
  else predicted(bits, samples);
  const body = bits.finish();
  const check = crc(body, 16, 0x8005);
  return Uint8Array.from([...body, check >> 8, check & 255]);
}

function predicted(bits: BitWriter, samples: Int16Array): void {
  bits
    .put(0b0_001010_0, 8)
    .put(samples[0]! & 0xffff, 16)
    .put(samples[1]! & 0xffff, 16);
  const folded: number[] = [];
  for (let at = 2; at < samples.length; at += 1) {
    const residual = samples[at]! - 2 * samples[at - 1]! + samples[at - 2]!;
    folded.push(residual >= 0 ? residual * 2 : -residual * 2 - 1);
  }
  const mean = folded.reduce((sum, value) => sum + value, 0) / folded.length;
  const parameter = Math.max(0, Math.min(14, Math.round(Math.log2(mean + 1))));
  bits.put(0, 2).put(0, 4).put(parameter, 4); // 4-bit parameters, one partition
  for (const value of folded) {
    for (let left = value >> parameter; left > 0; left -= 1) bits.put(0, 1);
    bits.put(1, 1).put(value & ((1 << parameter) - 1), parameter);
  }
}

/** By their number: each is coded once, however many files it is in. */
const toneFrames: Uint8Array[] = [];

function toneFrame(number: number): Uint8Array {
  toneFrames[number] ??= frame(
    number,
    Int16Array.from(
      { length: frameSamples },
      (_, at) => 9000 * Math.sin((2 * Math.PI * 440 * (number * frameSamples + at)) / sampleRate),
    ),
  );
  return toneFrames[number];
}

/** A tone of so many frames, and one of silence. */
export function flacFile(frames: number): Made {
  const tone = Array.from({ length: frames }, (_, number) => toneFrame(number));
  const silence = frame(frames, new Int16Array(frameSamples));
  const samples = (frames + 1) * frameSamples;
  return { bytes: Buffer.concat([streamInfo(samples), ...tone, silence]), seconds: samples / sampleRate };
}
