import { BoolEncoder } from './bool-encoder.ts';
import { updateProbabilities } from './vp8-tables.ts';
import { blockKinds, writeBlock } from './vp8-tokens.ts';
import { forwardDct, forwardWht, inverseDct, inverseWht } from './vp8-transform.ts';

/** Planes are padded to whole macroblocks: luma 16 by 16, chroma 8 by 8. */
export interface Picture {
  width: number;
  height: number;
  columns: number;
  rows: number;
  y: Uint8Array;
  u: Uint8Array;
  v: Uint8Array;
}

export function newPicture(width: number, height: number): Picture {
  const columns = Math.ceil(width / 16);
  const rows = Math.ceil(height / 16);
  const plane = (side: number): Uint8Array => new Uint8Array(columns * rows * side * side);
  return { width, height, columns, rows, y: plane(16), u: plane(8), v: plane(8) };
}

// Quantiser index 10 of RFC 6386 §14.1 and what it means for each kind of block.
const quantiser = { index: 10, dc: 13, ac: 14, lumaDc: 26, lumaAc: 21 };
const skipOdds = 200;
/** About ten milliseconds of work. */
const breathEvery = 400;

/** One key frame (RFC 6386 §9): every macroblock predicted by the mean of its neighbours, the rest transformed. */
export class Vp8Encoder {
  private readonly made: Picture;
  private readonly levels = new Int32Array(25 * 16);
  private readonly hasAc = new Uint8Array(24);
  private readonly block = new Float64Array(16);
  private readonly back = new Int32Array(16);
  private readonly dcs = new Float64Array(16);
  private readonly dcsBack = new Int32Array(16);

  constructor(
    private readonly width: number,
    private readonly height: number,
  ) {
    this.made = newPicture(width, height);
  }

  /** `breathe` is awaited every so many macroblocks, so that a large picture does not hold up everything else. */
  async encode(picture: Picture, breathe: () => Promise<void>): Promise<Uint8Array> {
    const head = new BoolEncoder();
    const tokens = new BoolEncoder();
    writeHeader(head);
    // Whether the blocks above, and to the left, had any values: 4 of luma, 2 and 2 of chroma, 1 of luma's DCs.
    const above = new Uint8Array(picture.columns * 9);
    const left = new Uint8Array(9);
    for (let row = 0; row < picture.rows; row += 1) {
      left.fill(0);
      if (row % Math.max(1, Math.floor(breathEvery / picture.columns)) === 0) await breathe();
      for (let column = 0; column < picture.columns; column += 1) {
        this.macroblock(picture, column, row);
        const empty = this.isEmpty();
        head.bool(skipOdds, empty);
        writeModes(head);
        const over = above.subarray(column * 9, column * 9 + 9);
        if (empty) {
          over.fill(0);
          left.fill(0);
        } else {
          this.writeTokens(tokens, over, left);
        }
      }
    }
    return assemble(head.finish(), tokens.finish(), this.width, this.height);
  }

  /** Quantised levels: blocks 0-15 luma, 16-19 and 20-23 chroma, 24 the DCs of luma. */
  private macroblock(picture: Picture, column: number, row: number): void {
    const { levels, made } = this;
    const stride = picture.columns * 16;
    const mean = predict(made.y, stride, column, row, 16);
    const luma = (block: number): number => (row * 16 + (block >> 2) * 4) * stride + column * 16 + (block & 3) * 4;
    for (let block = 0; block < 16; block += 1) {
      this.transform(picture.y, luma(block), stride, mean);
      this.dcs[block] = this.block[0]!;
      this.quantise(block, 1, quantiser.ac, quantiser.ac);
    }
    forwardWht(this.dcs);
    for (let at = 0; at < 16; at += 1) {
      const step = at === 0 ? quantiser.lumaDc : quantiser.lumaAc;
      levels[24 * 16 + at] = Math.round(this.dcs[at]! / step);
      this.dcsBack[at] = levels[24 * 16 + at]! * step;
    }
    inverseWht(this.dcsBack);
    for (let block = 0; block < 16; block += 1)
      this.rebuild(made.y, luma(block), stride, mean, block, this.dcsBack[block]!);
    this.chroma(picture.u, made.u, stride >> 1, column, row, 16);
    this.chroma(picture.v, made.v, stride >> 1, column, row, 20);
  }

  private chroma(from: Uint8Array, to: Uint8Array, stride: number, column: number, row: number, first: number): void {
    const mean = predict(to, stride, column, row, 8);
    for (let block = 0; block < 4; block += 1) {
      const start = (row * 8 + (block >> 1) * 4) * stride + column * 8 + (block & 1) * 4;
      this.transform(from, start, stride, mean);
      this.quantise(first + block, 0, quantiser.dc, quantiser.ac);
      this.rebuild(to, start, stride, mean, first + block, this.levels[(first + block) * 16]! * quantiser.dc);
    }
  }

  private isEmpty(): boolean {
    for (let at = 0; at < this.levels.length; at += 1) if (this.levels[at] !== 0) return false;
    return true;
  }

  private transform(plane: Uint8Array, start: number, stride: number, mean: number): void {
    for (let at = 0; at < 16; at += 1) this.block[at] = plane[start + (at >> 2) * stride + (at & 3)]! - mean;
    forwardDct(this.block);
  }

  private quantise(block: number, from: number, dc: number, ac: number): void {
    this.levels[block * 16] = 0;
    let anyAc = 0;
    for (let at = from; at < 16; at += 1) {
      const level = Math.round(this.block[at]! / (at === 0 ? dc : ac));
      this.levels[block * 16 + at] = level;
      if (at > 0) anyAc |= level;
    }
    this.hasAc[block] = anyAc === 0 ? 0 : 1;
  }

  private rebuild(plane: Uint8Array, start: number, stride: number, mean: number, block: number, dc: number): void {
    const { back } = this;
    if (this.hasAc[block] === 0) {
      // A lone DC comes out of the inverse transform as one value everywhere; most blocks are of this kind.
      back.fill((dc + 4) >> 3);
    } else {
      back[0] = dc;
      for (let at = 1; at < 16; at += 1) back[at] = this.levels[block * 16 + at]! * quantiser.ac;
      inverseDct(back);
    }
    for (let at = 0; at < 16; at += 1) {
      const value = mean + back[at]!;
      plane[start + (at >> 2) * stride + (at & 3)] = value < 0 ? 0 : value > 255 ? 255 : value;
    }
  }

  private writeTokens(out: BoolEncoder, above: Uint8Array, left: Uint8Array): void {
    const write = (kind: number, block: number, up: number, side: number): void => {
      const had = writeBlock(out, kind, above[up]! + left[side]!, this.levels, block * 16);
      above[up] = had;
      left[side] = had;
    };
    write(blockKinds.lumaDc, 24, 8, 8);
    for (let block = 0; block < 16; block += 1) write(blockKinds.lumaAc, block, block & 3, block >> 2);
    for (let block = 0; block < 4; block += 1) write(blockKinds.chroma, 16 + block, 4 + (block & 1), 4 + (block >> 1));
    for (let block = 0; block < 4; block += 1) write(blockKinds.chroma, 20 + block, 6 + (block & 1), 6 + (block >> 1));
  }
}

/** DC_PRED of RFC 6386 §12.2: the mean of the row above and the column to the left, as far as they are inside. */
function predict(plane: Uint8Array, stride: number, column: number, row: number, side: number): number {
  const start = row * side * stride + column * side;
  let sum = 0;
  let count = 0;
  if (row > 0) for (let x = 0; x < side; x += 1) sum += plane[start - stride + x]!;
  if (column > 0) for (let y = 0; y < side; y += 1) sum += plane[start + y * stride - 1]!;
  if (row > 0) count += side;
  if (column > 0) count += side;
  return count === 0 ? 128 : Math.floor((sum + count / 2) / count);
}

/** RFC 6386 §9.2-§9.11 for a key frame without segments, filter or changed probabilities. */
function writeHeader(out: BoolEncoder): void {
  out.literal(0, 1 + 1 + 1); // colour space, clamping needed, no segments
  out.literal(0, 1 + 6 + 3 + 1); // loop filter: type, level 0, sharpness, no adjustments
  out.literal(0, 2); // one partition of tokens
  out.literal(quantiser.index, 7);
  out.literal(0, 5); // no difference for any kind of block
  out.literal(0, 1); // probabilities are not kept for later frames
  for (const odds of updateProbabilities) out.bool(odds, 0);
  out.literal(1, 1); // empty macroblocks are marked
  out.literal(skipOdds, 8);
}

/** DC_PRED for luma and for chroma, by the key frame trees of RFC 6386 §11.2. */
function writeModes(out: BoolEncoder): void {
  out.bool(145, 1);
  out.bool(156, 0);
  out.bool(163, 0);
  out.bool(142, 0);
}

/** RFC 6386 §9.1: the frame tag, the start code and the size, before the two partitions. */
function assemble(head: Uint8Array, tokens: Uint8Array, width: number, height: number): Uint8Array {
  const out = new Uint8Array(10 + head.length + tokens.length);
  const tag = (1 << 4) | (head.length << 5);
  out.set([
    tag & 255,
    (tag >> 8) & 255,
    (tag >> 16) & 255,
    0x9d,
    0x01,
    0x2a,
    width & 255,
    width >> 8,
    height & 255,
    height >> 8,
  ]);
  out.set(head, 10);
  out.set(tokens, 10 + head.length);
  return out;
}
