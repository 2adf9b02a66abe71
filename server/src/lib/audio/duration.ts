import { flacSound } from './flac.ts';
import { mp4Sound } from './mp4.ts';
import { framedSeconds, mpegSound } from './mpeg.ts';
import { oggSound } from './ogg.ts';
import { type Reading, rawBytesPerSecond, type Sound, type SoundReader } from './sound.ts';
import { wavSound } from './wav.ts';
import { webmSound } from './webm.ts';

/** MPEG frames have no file signature, so they are tried last. */
const readers: SoundReader[] = [flacSound, oggSound, webmSound, mpegSound];

/** 64 kbit/s, assumed for unknown formats. */
const usualBytesPerSecond = 8_000;
/** Video tracks beside the audio have 20 Mbit/s at most. */
const filmBytesPerSecond = 2_500_000;

function* read(file: Buffer): Reading<Sound> {
  let sound = wavSound(file) ?? mp4Sound(file);
  for (const one of readers) sound ??= yield* one(file);
  if (sound) return { ...sound, least: Math.max(sound.least, file.length / filmBytesPerSecond) };
  const seconds = Math.max(file.length / usualBytesPerSecond, yield* framedSeconds(file));
  return { seconds, least: file.length / rawBytesPerSecond };
}

const toMs = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** How long an audio file lasts. Yields to the event loop, since a crafted file can take long to scan. */
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

/** Duration of an audio file, in seconds. */
export const durationOf = async (bytes: Uint8Array): Promise<number> => (await soundOf(bytes)).seconds;
