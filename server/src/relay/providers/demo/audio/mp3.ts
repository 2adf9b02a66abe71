import { frameSamples, type Note, sampleRate } from './notes.ts';

// MPEG-2 layer III at 24 kHz, one channel, 32 kbit/s: ISO/IEC 13818-3, frame length 72 * 32000 / 24000.
const frameBytes = 96;
const lineHz = sampleRate / 2 / frameSamples;

const bits = (value: number, count: number): string => value.toString(2).padStart(count, '0');

/**
 * One frame with a single spectral line, or silence.
 *
 * MP3 stores a spectrum, so a tone needs no analysis of samples: one quantised line of ±1 in each frame is a steady
 * sine, its loudness the frame's global gain. With values of 0 and ±1 the whole spectrum fits the "count1" region,
 * whose second code table is a plain four bits for four lines.
 */
function frame(line: number | null, gain: number): Uint8Array {
  const quads = line === null ? 0 : Math.floor(line / 4) + 1;
  const said = [
    bits(0xfff344c4, 32), // sync, MPEG-2, layer III, no CRC; 32 kbit/s, 24 kHz; mono, original
    bits(0, 9), // main data starts here, private bit
    bits(line === null ? 0 : quads * 4 + 1, 12), // bits of main data: the quads and one sign
    bits(0, 9), // no big values
    bits(gain, 8),
    bits(0, 9 + 1), // no scale factors, no window switching
    bits(0, 15 + 7), // tables and regions of the absent big values
    bits(1, 2), // scale, second count1 table
    ...Array.from({ length: quads }, (_, quad) => bits(quad === quads - 1 ? 15 - (8 >> (line! % 4)) : 15, 4)),
  ].join('');
  return Buffer.from(
    said
      .padEnd(frameBytes * 8, '0')
      .match(/.{8}/g)!
      .map((byte) => Number.parseInt(byte, 2)),
  );
}

/** 210 is unity; each step is 1.5 dB. Loud enough to hear, far from clipping. */
const loudest = 202;

export function* mp3(notes: Note[]): Generator<Uint8Array> {
  for (const note of notes) {
    const line = Math.max(1, Math.round(note.frequency / lineHz));
    for (let at = 0; at < note.frames; at += 1) {
      const fade = at === 0 || at === note.frames - 1 ? 6 : Math.floor((3 * at) / note.frames);
      yield frame(line, loudest - fade);
    }
    for (let at = 0; at < note.rest; at += 1) yield frame(null, loudest);
  }
  // A decoder's filters hold the last frame's tail; one more frame flushes it.
  yield frame(null, loudest);
}
