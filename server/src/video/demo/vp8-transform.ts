const cosine = Math.SQRT2 * Math.cos(Math.PI / 8);
const sine = Math.SQRT2 * Math.sin(Math.PI / 8);

/** Forward 4x4 cosine transform, the inverse of {@link inverseDct} up to rounding. In place. */
export function forwardDct(x: Float64Array): void {
  for (let pass = 0; pass < 2; pass += 1) {
    const step = pass === 0 ? 1 : 4;
    for (let line = 0; line < 4; line += 1) {
      const at = pass === 0 ? line * 4 : line;
      const a = x[at]!;
      const b = x[at + step]!;
      const c = x[at + 2 * step]!;
      const d = x[at + 3 * step]!;
      x[at] = a + b + c + d;
      x[at + step] = cosine * (a - d) + sine * (b - c);
      x[at + 2 * step] = a - b - c + d;
      x[at + 3 * step] = sine * (a - d) - cosine * (b - c);
    }
  }
  for (let at = 0; at < 16; at += 1) x[at]! /= 2;
}

/** Forward Walsh-Hadamard transform of the sixteen DC values. In place. */
export function forwardWht(x: Float64Array): void {
  for (let pass = 0; pass < 2; pass += 1) {
    const step = pass === 0 ? 1 : 4;
    for (let line = 0; line < 4; line += 1) {
      const at = pass === 0 ? line * 4 : line;
      const a = x[at]!;
      const b = x[at + step]!;
      const c = x[at + 2 * step]!;
      const d = x[at + 3 * step]!;
      x[at] = a + b + c + d;
      x[at + step] = a + b - c - d;
      x[at + 2 * step] = a - b - c + d;
      x[at + 3 * step] = a - b + c - d;
    }
  }
  for (let at = 0; at < 16; at += 1) x[at]! /= 2;
}

/** RFC 6386 §14.3, bit for bit: what the decoder computes must be what the next prediction starts from. In place. */
export function inverseWht(x: Int32Array): void {
  for (let at = 0; at < 4; at += 1) {
    const a = x[at]! + x[at + 12]!;
    const b = x[at + 4]! + x[at + 8]!;
    const c = x[at + 4]! - x[at + 8]!;
    const d = x[at]! - x[at + 12]!;
    x[at] = a + b;
    x[at + 4] = c + d;
    x[at + 8] = a - b;
    x[at + 12] = d - c;
  }
  for (let at = 0; at < 16; at += 4) {
    const a = x[at]! + x[at + 3]!;
    const b = x[at + 1]! + x[at + 2]!;
    const c = x[at + 1]! - x[at + 2]!;
    const d = x[at]! - x[at + 3]!;
    x[at] = (a + b + 3) >> 3;
    x[at + 1] = (c + d + 3) >> 3;
    x[at + 2] = (a - b + 3) >> 3;
    x[at + 3] = (d - c + 3) >> 3;
  }
}

/** Products with the two constants of RFC 6386 §14.4: sqrt(2) cos(pi/8) as 1 + 20091/65536, sqrt(2) sin(pi/8) as 35468/65536. */
const timesCosine = (value: number): number => value + ((value * 20091) >> 16);
const timesSine = (value: number): number => (value * 35468) >> 16;

/** RFC 6386 §14.4, bit for bit, columns first. In place. */
export function inverseDct(x: Int32Array): void {
  for (let pass = 0; pass < 2; pass += 1) {
    const step = pass === 0 ? 4 : 1;
    const round = pass === 0 ? 0 : 4;
    const shift = pass === 0 ? 0 : 3;
    for (let line = 0; line < 4; line += 1) {
      const at = pass === 0 ? line : line * 4;
      const a = x[at]! + x[at + 2 * step]!;
      const b = x[at]! - x[at + 2 * step]!;
      const c = timesSine(x[at + step]!) - timesCosine(x[at + 3 * step]!);
      const d = timesCosine(x[at + step]!) + timesSine(x[at + 3 * step]!);
      x[at] = (a + d + round) >> shift;
      x[at + 3 * step] = (a - d + round) >> shift;
      x[at + step] = (b + c + round) >> shift;
      x[at + 2 * step] = (b - c + round) >> shift;
    }
  }
}
