/** Samples a second of everything the simulation says, the rate OpenAI's `pcm` has. */
export const sampleRate = 24_000;

/** Notes last whole frames of an MP3 at this rate (24 ms), so that every format has the same length. */
export const frameSamples = 576;

/** A tone of some frames, then silence of some. */
export interface Note {
  frequency: number;
  frames: number;
  rest: number;
}

const pentatonic = [0, 2, 4, 7, 9, 12];

/** One note a word: pitch from the word and the voice, length from its letters, pauses from its punctuation. */
export function notesOf(text: string, voice: string, speed: number): Note[] {
  const base = 190 * 2 ** ((Bun.hash.xxHash32(voice) % 9) / 12);
  const stretch = (frames: number): number => Math.max(1, Math.round(frames / speed));
  return (text.match(/\S+/g) ?? []).map((word) => {
    const letters = word.match(/[\p{L}\p{N}]/gu)?.length ?? 1;
    const step = pentatonic[Bun.hash.xxHash32(word.toLowerCase()) % pentatonic.length]!;
    return {
      frequency: base * 2 ** (step / 12),
      frames: stretch(4 + Math.min(10, letters)),
      rest: stretch(/[.!?…]["”)]*$/u.test(word) ? 12 : /[,;:]$/.test(word) ? 6 : 2),
    };
  });
}

export const totalSamples = (notes: Note[]): number =>
  notes.reduce((sum, note) => sum + (note.frames + note.rest) * frameSamples, 0);
