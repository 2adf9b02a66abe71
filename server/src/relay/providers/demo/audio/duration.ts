/** Seconds a sound file lasts: read from WAV, FLAC and MP3 headers, else guessed from its size at 64 kbit/s. */
export function durationOf(bytes: Uint8Array): number {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const seconds = wavSeconds(view) ?? flacSeconds(view) ?? mp3Seconds(view) ?? view.length / 8000;
  return Math.round(seconds * 1000) / 1000;
}

function wavSeconds(view: Buffer): number | null {
  if (view.length < 44 || view.toString('latin1', 0, 4) !== 'RIFF' || view.toString('latin1', 8, 12) !== 'WAVE')
    return null;
  let byteRate = 0;
  for (let at = 12; at + 8 <= view.length; ) {
    const name = view.toString('latin1', at, at + 4);
    const size = view.readUInt32LE(at + 4);
    if (name === 'fmt ' && at + 20 <= view.length) byteRate = view.readUInt32LE(at + 16);
    // Streamed files claim a size of 4 GB; what is really there counts.
    if (name === 'data') return byteRate > 0 ? Math.min(size, view.length - at - 8) / byteRate : null;
    at += 8 + size + (size % 2);
  }
  return null;
}

function flacSeconds(view: Buffer): number | null {
  if (view.length < 42 || view.toString('latin1', 0, 4) !== 'fLaC') return null;
  const rate = view.readUIntBE(18, 3) >> 4;
  const samples = (view[21]! & 15) * 2 ** 32 + view.readUInt32BE(22);
  return rate > 0 && samples > 0 ? samples / rate : null;
}

const kilobits: Record<'one' | 'two', number[]> = {
  one: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  two: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};

/** From the first frame's bit rate, which holds for the whole of a constant-rate file. */
function mp3Seconds(view: Buffer): number | null {
  let start = 0;
  if (view.length > 10 && view.toString('latin1', 0, 3) === 'ID3') {
    start = 10 + view[6]! * 2 ** 21 + view[7]! * 2 ** 14 + view[8]! * 2 ** 7 + view[9]!;
  }
  if (start + 4 > view.length || view[start] !== 0xff || (view[start + 1]! & 0xe6) !== 0xe2) return null;
  const rate = kilobits[view[start + 1]! & 8 ? 'one' : 'two'][view[start + 2]! >> 4] ?? 0;
  return rate > 0 ? (view.length - start) / (rate * 125) : null;
}
