/** A vector as stored: little-endian 32-bit floats, normalized to length one, so that the dot product is the cosine. */
export function toBlob(vector: ArrayLike<number>): Uint8Array {
  const unit = toUnit(vector);
  const bytes = new Uint8Array(unit.length * 4);
  const view = new DataView(bytes.buffer);
  unit.forEach((value, i) => {
    view.setFloat32(i * 4, value, true);
  });
  return bytes;
}

export function fromBlob(blob: Uint8Array): Float32Array {
  // Float32Array needs an offset divisible by four, which a copy has. Every platform that Bun supports is
  // little-endian.
  return new Float32Array(blob.slice().buffer);
}

export function toUnit(vector: ArrayLike<number>): Float32Array {
  const unit = Float32Array.from(vector);
  const length = Math.sqrt(dot(unit, unit));
  return length > 0 && Number.isFinite(length) ? unit.map((value) => value / length) : new Float32Array(unit.length);
}

/** Cosine of two normalized vectors; 0 for vectors of different sizes, which come from different models. */
export function dot(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0;
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** The signs of a vector's numbers, one bit each, padded to whole 32-bit words. */
export function signBits(vector: ArrayLike<number>): Uint8Array {
  const bits = new Uint8Array(Math.ceil(vector.length / 32) * 4);
  for (let i = 0; i < vector.length; i++) if (vector[i]! > 0) bits[i >> 3]! |= 1 << (i & 7);
  return bits;
}

export const toWords = (bits: Uint8Array): Uint32Array => new Uint32Array(bits.slice().buffer);

/** Hamming distance between the query and one row of words. */
export function hamming(query: Uint32Array, words: Uint32Array, offset: number): number {
  let different = 0;
  for (let i = 0; i < query.length; i++) {
    let x = query[i]! ^ words[offset + i]!;
    x -= (x >>> 1) & 0x55555555;
    x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
    different += (((x + (x >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
  }
  return different;
}
