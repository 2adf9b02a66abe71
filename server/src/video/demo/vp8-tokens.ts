import type { BoolEncoder } from './bool-encoder.ts';
import { bands, categories, coefficientProbabilities, zigzag } from './vp8-tables.ts';

/** RFC 6386 §13.3: luma without its DC, the DCs of luma, chroma. */
export const blockKinds = { lumaAc: 0, lumaDc: 1, chroma: 2 } as const;

/**
 * Writes one block's sixteen quantised values as tokens (RFC 6386 §13) and says whether it had any.
 * `context` is how many of the blocks to the left and above had some.
 */
export function writeBlock(
  out: BoolEncoder,
  kind: number,
  context: number,
  levels: Int32Array,
  offset: number,
): number {
  const first = kind === blockKinds.lumaAc ? 1 : 0;
  let last = 15;
  while (last >= first && levels[offset + zigzag[last]!] === 0) last -= 1;
  let odds = at(kind, first, context);
  if (last < first) {
    out.bool(coefficientProbabilities[odds]!, 0);
    return 0;
  }
  let afterZero = false;
  for (let place = first; place <= last; place += 1) {
    const level = levels[offset + zigzag[place]!]!;
    // "End of block" cannot follow a zero, so its branch is left out there.
    if (!afterZero) out.bool(coefficientProbabilities[odds]!, 1);
    const size = Math.abs(level);
    writeSize(out, odds, size);
    if (size > 0) out.bool(128, level < 0);
    afterZero = size === 0;
    if (place < 15) odds = at(kind, place + 1, Math.min(2, size));
  }
  if (last < 15) out.bool(coefficientProbabilities[odds]!, 0);
  return 1;
}

const at = (kind: number, place: number, context: number): number => ((kind * 8 + bands[place]!) * 3 + context) * 11;

/** The tree of RFC 6386 §13.2 below its "end of block" branch. */
function writeSize(out: BoolEncoder, odds: number, size: number): void {
  const branch = (node: number, bit: boolean): void => out.bool(coefficientProbabilities[odds + node]!, bit);
  branch(1, size > 0);
  if (size === 0) return;
  branch(2, size > 1);
  if (size === 1) return;
  branch(3, size > 4);
  if (size <= 4) {
    branch(4, size > 2);
    if (size > 2) branch(5, size === 4);
    return;
  }
  const category = categories.findLastIndex((one) => size >= one.base);
  branch(6, category > 1);
  if (category <= 1) {
    branch(7, category === 1);
  } else {
    branch(8, category > 3);
    branch(category > 3 ? 10 : 9, category % 2 === 1);
  }
  const { base, odds: extra } = categories[category]!;
  for (const [index, chance] of extra.entries()) out.bool(chance, ((size - base) >> (extra.length - 1 - index)) & 1);
}
