/** Sample rate of all generated audio, the same as OpenAI's `pcm`. */
export const sampleRate = 24_000;

/** Notes last whole MP3 frames (24 ms at this rate), so that all formats have the same length. */
export const frameSamples = 576;

/** A tone and a pause, in frames. */
export interface Note {
  frequency: number;
  frames: number;
  rest: number;
}

const pentatonic = [0, 2, 4, 7, 9, 12];

/** One note per word: pitch by word and voice, length by its letters, pauses by punctuation. */
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
