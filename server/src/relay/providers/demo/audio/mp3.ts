import { BitWriter } from './bits.ts';
import { frameSamples, type Note, sampleRate } from './notes.ts';

// MPEG-2 layer III at 24 kHz, one channel, 32 kbit/s: ISO/IEC 13818-3, frame length 72 * 32000 / 24000.
const frameBytes = 96;
const lineHz = sampleRate / 2 / frameSamples;

/**
 * One frame that sounds a single spectral line, or nothing.
 *
 * MP3 stores a spectrum, so a tone needs no analysis of samples: one quantised line of ±1 in each frame is a steady
 * sine, its loudness the frame's global gain. With values of 0 and ±1 the whole spectrum fits the "count1" region,
 * whose second code table is a plain four bits for four lines.
 */
function frame(line: number | null, gain: number): Uint8Array {
  const quads = line === null ? 0 : Math.floor(line / 4) + 1;
  const bits = new BitWriter();
  bits.put(0xfff3, 16).put(0x44, 8).put(0xc4, 8); // sync, MPEG-2, layer III, no CRC; 32 kbit/s, 24 kHz; mono, original
  bits.put(0, 9); // main data starts here, private bit
  bits.put(line === null ? 0 : quads * 4 + 1, 12); // bits of main data: the quads and one sign
  bits.put(0, 9); // no big values
  bits.put(gain, 8);
  bits.put(0, 9 + 1); // no scale factors, no window switching
  bits.put(0, 15 + 7); // tables and regions of the absent big values
  bits.put(0, 1).put(1, 1); // scale, second count1 table
  for (let quad = 0; quad < quads; quad += 1) {
    const holds = quad === quads - 1 ? 8 >> (line! % 4) : 0;
    bits.put(15 - holds, 4);
  }
  if (line !== null) bits.put(0, 1);
  return bits.finish(frameBytes);
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
  // A decoder's filters hold the last frame's tail; one more frame lets it out.
  yield frame(null, loudest);
}
