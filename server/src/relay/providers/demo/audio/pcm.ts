import { frameSamples, type Note, sampleRate, totalSamples } from './notes.ts';

/** 16-bit little-endian mono samples of one note and the silence after it. */
function samplesOf(note: Note): Int16Array {
  const sounding = note.frames * frameSamples;
  const out = new Int16Array(sounding + note.rest * frameSamples);
  const step = (2 * Math.PI * note.frequency) / sampleRate;
  // Without a short ramp at both ends every note clicks.
  const ramp = Math.min(sounding / 4, sampleRate * 0.02);
  for (let at = 0; at < sounding; at += 1) {
    const envelope = Math.min(1, at / ramp, (sounding - at) / ramp) * (1 - (0.5 * at) / sounding);
    out[at] = 9000 * envelope * (Math.sin(step * at) + 0.35 * Math.sin(2 * step * at) + 0.12 * Math.sin(3 * step * at));
  }
  return out;
}

const bytesOf = (samples: Int16Array): Uint8Array =>
  new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);

export function* pcm(notes: Note[]): Generator<Uint8Array> {
  for (const note of notes) yield bytesOf(samplesOf(note));
}

export function* wav(notes: Note[]): Generator<Uint8Array> {
  const dataBytes = totalSamples(notes) * 2;
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + dataBytes, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20); // PCM
  header.writeUInt16LE(1, 22); // one channel
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(dataBytes, 40);
  yield header;
  yield* pcm(notes);
}
