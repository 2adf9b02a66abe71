/** Ordinary speech: about 150 words of six letters a minute. */
const charsPerMinute = 900;
/** 24 kHz, 16 bits, mono: what `pcm` means for all vendors. */
const pcmBytesPerSecond = 48_000;
/** No common encoder produces less for speech. */
const leastBytesPerSecond = 2_000;
/** The header that tells the byte rate; images in MP3 tags may push it further back. */
const headBytes = 65_536;

export const minutesOfText = (text: string, speed = 1): number => text.length / charsPerMinute / speed;

/**
 * Measures streamed speech for models billed by the minute: exactly for WAV, PCM and constant-rate MP3; other encodings
 * by the length of the text, since their bytes do not tell.
 */
export class AudioMeter {
  #head: Uint8Array[] = [];
  #kept = 0;
  #bytes = 0;

  constructor(
    readonly format: string,
    readonly textMinutes: number,
  ) {}

  get bytes(): number {
    return this.#bytes;
  }

  add(chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength;
    if (this.#kept >= headBytes) return;
    this.#head.push(chunk.slice(0, headBytes - this.#kept));
    this.#kept += chunk.byteLength;
  }

  minutes(): number {
    const seconds = this.#seconds() ?? this.textMinutes * 60;
    // Whatever the file header claims.
    return Math.min(seconds, this.#bytes / leastBytesPerSecond) / 60;
  }

  #seconds(): number | null {
    if (this.format === 'pcm') return this.#bytes / pcmBytesPerSecond;
    const head = Buffer.concat(this.#head);
    const pace = wavPace(head) ?? mp3Pace(head);
    return pace && Math.max(0, this.#bytes - pace.start) / pace.bytesPerSecond;
  }
}

interface Pace {
  start: number;
  bytesPerSecond: number;
}

function wavPace(head: Buffer): Pace | null {
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WAVE') return null;
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= head.length; ) {
    const name = head.toString('latin1', at, at + 4);
    if (name === 'fmt ' && at + 20 <= head.length) bytesPerSecond = head.readUInt32LE(at + 16);
    if (name === 'data') return bytesPerSecond > 0 ? { start: at + 8, bytesPerSecond } : null;
    const size = head.readUInt32LE(at + 4);
    at += 8 + size + (size % 2);
  }
  return null;
}

const kilobits = {
  mpeg1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  mpeg2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};

/** Layer III only. Encoders of speech services use the first frame's rate throughout. */
function mp3Pace(head: Buffer): Pace | null {
  let start = 0;
  if (head.length > 10 && head.toString('latin1', 0, 3) === 'ID3')
    start = 10 + head[6]! * 2 ** 21 + head[7]! * 2 ** 14 + head[8]! * 2 ** 7 + head[9]!;
  if (start + 4 > head.length || head[start] !== 0xff || (head[start + 1]! & 0xe6) !== 0xe2) return null;
  const rate = kilobits[head[start + 1]! & 8 ? 'mpeg1' : 'mpeg2'][head[start + 2]! >> 4] ?? 0;
  return rate > 0 ? { start, bytesPerSecond: rate * 125 } : null;
}
