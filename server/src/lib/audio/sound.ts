/**
 * How long a sound file lasts, as a decoder would find by playing it. Heads of files are written by whoever sends them, so
 * lengths are counted from the sound itself; `least` is what so many bytes last at the very least, whatever is claimed.
 */
export interface Sound {
  seconds: number;
  least: number;
}

/**
 * Null for a file of another format. Never throws, and ends after `mostSteps` whatever the file; stops after every few
 * thousand, so that others have their turn.
 */
export type SoundReader = (file: Buffer) => Reading<Sound | null>;

export type Reading<T> = Generator<void, T>;

/** Two channels of 24 bits at 192 kHz: nothing that is sent for its words has more. */
export const rawBytesPerSecond = 1_152_000;
/** 512 kbit/s, the most that AAC, Opus and Vorbis are made with. */
export const packedBytesPerSecond = 64_000;

/**
 * Frames, packets or elements of a file that are looked at: some hours of speech. Past them a file is made to take our time,
 * and the rest of it counts as the slowest there is.
 */
export const mostSteps = 1_000_000;
const slowestBytesPerSecond = 1_000;

/** About two milliseconds. */
export const isTurn = (steps: number): boolean => steps % 16_384 === 16_383;

export const secondsOfRest = (file: Buffer, at: number): number =>
  Math.max(0, file.length - at) / slowestBytesPerSecond;

/** Of a file of which so many seconds were heard and everything from `at` on was not looked at; -1 for nothing. */
export const heard = (file: Buffer, seconds: number, at: number, mostBytesPerSecond = rawBytesPerSecond): Sound => ({
  seconds: at < 0 ? seconds : seconds + secondsOfRest(file, at),
  least: file.length / mostBytesPerSecond,
});

const between = (least: number, value: number, most: number): number => Math.min(Math.max(value, least), most);

/** Samples a second of any sound that is worth writing down. */
export const plausibleRate = (rate: number): number => between(4_000, rate, 192_000);

export const isNamed = (file: Buffer, at: number, name: string): boolean =>
  file.length >= at + name.length && file.toString('latin1', at, at + name.length) === name;
