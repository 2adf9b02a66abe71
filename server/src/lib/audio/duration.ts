import { flacSound } from './flac.ts';
import { mp4Sound } from './mp4.ts';
import { framedSeconds, mpegSound } from './mpeg.ts';
import { oggSound } from './ogg.ts';
import { type Reading, rawBytesPerSecond, type Sound, type SoundReader } from './sound.ts';
import { wavSound } from './wav.ts';
import { webmSound } from './webm.ts';

/** Frames of MPEG have no beginning of their own to be known by, and come last. */
const readers: SoundReader[] = [flacSound, oggSound, webmSound, mpegSound];

/** 64 kbit/s, for files of which nothing is known. */
const usualBytesPerSecond = 8_000;
/** Pictures of a film beside its sound come at 20 Mbit/s and less. */
const filmBytesPerSecond = 2_500_000;

function* read(file: Buffer): Reading<Sound> {
  let sound = wavSound(file) ?? mp4Sound(file);
  for (const one of readers) sound ??= yield* one(file);
  if (sound) return { ...sound, least: Math.max(sound.least, file.length / filmBytesPerSecond) };
  const seconds = Math.max(file.length / usualBytesPerSecond, yield* framedSeconds(file));
  return { seconds, least: file.length / rawBytesPerSecond };
}

const toMs = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** How long a sound file lasts. In turns with whatever else there is to do: a file may be made to take its time. */
export async function soundOf(bytes: Uint8Array): Promise<Sound> {
  const reading = read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  let step = reading.next();
  while (!step.done) {
    await new Promise((resolve) => setImmediate(resolve));
    step = reading.next();
  }
  const { seconds, least } = step.value;
  return { seconds: toMs(Math.max(seconds, least)), least: toMs(least) };
}

/** Seconds a sound file lasts. */
export const durationOf = async (bytes: Uint8Array): Promise<number> => (await soundOf(bytes)).seconds;
