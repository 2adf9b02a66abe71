/**
 * How long an audio file lasts, as a decoder would find out by playing it. File headers are untrusted, so durations are
 * counted from the audio data; `least` is the minimum duration of that many bytes, whatever the file claims.
 */
export interface Sound {
  seconds: number;
  least: number;
}

/** Null for another format. Never throws, ends after `mostSteps` for any file, and yields every few thousand steps. */
export type SoundReader = (file: Buffer) => Reading<Sound | null>;

export type Reading<T> = Generator<void, T>;

/** Two channels of 24 bits at 192 kHz: speech never has more. */
export const rawBytesPerSecond = 1_152_000;
/** 512 kbit/s, the maximum of AAC, Opus and Vorbis. */
export const packedBytesPerSecond = 64_000;

/**
 * Frames, packets or elements to look at: some hours of speech. A file with more was crafted to waste our time; the
 * rest of it counts at the slowest rate.
 */
export const mostSteps = 1_000_000;
const slowestBytesPerSecond = 1_000;

/** Every two milliseconds or so. */
export const isTurn = (steps: number): boolean => steps % 16_384 === 16_383;

export const secondsOfRest = (file: Buffer, at: number): number =>
  Math.max(0, file.length - at) / slowestBytesPerSecond;

/** For a file of which `seconds` were measured and everything from `at` on was not scanned; -1 for all scanned. */
export const heard = (file: Buffer, seconds: number, at: number, mostBytesPerSecond = rawBytesPerSecond): Sound => ({
  seconds: at < 0 ? seconds : seconds + secondsOfRest(file, at),
  least: file.length / mostBytesPerSecond,
});

const between = (least: number, value: number, most: number): number => Math.min(Math.max(value, least), most);

/** A sample rate that speech can have. */
export const plausibleRate = (rate: number): number => between(4_000, rate, 192_000);

export const isNamed = (file: Buffer, at: number, name: string): boolean =>
  file.length >= at + name.length && file.toString('latin1', at, at + name.length) === name;
