/** The arithmetic coder of VP8 (RFC 6386 §7.3): each bit is written with the odds, in 256ths, that it is 0. */
export class BoolEncoder {
  private bytes = new Uint8Array(1 << 14);
  private length = 0;
  private range = 255;
  private bottom = 0;
  private bitsLeft = 24;

  bool(odds: number, bit: boolean | number): void {
    const split = 1 + (((this.range - 1) * odds) >> 8);
    if (bit) {
      this.bottom += split;
      this.range -= split;
    } else {
      this.range = split;
    }
    while (this.range < 128) {
      this.range <<= 1;
      // A carry out of 32 bits belongs to bytes already written.
      if (this.bottom >= 0x80000000) this.carry();
      this.bottom = (this.bottom << 1) >>> 0;
      this.bitsLeft -= 1;
      if (this.bitsLeft === 0) this.push();
    }
  }

  literal(value: number, bits: number): void {
    for (let bit = bits - 1; bit >= 0; bit -= 1) this.bool(128, (value >> bit) & 1);
  }

  /** Everything written; 32 more zeros push the last real bits out. */
  finish(): Uint8Array {
    this.literal(0, 32);
    return this.bytes.subarray(0, this.length);
  }

  private push(): void {
    if (this.length === this.bytes.length) {
      const larger = new Uint8Array(this.length * 2);
      larger.set(this.bytes);
      this.bytes = larger;
    }
    this.bytes[this.length++] = this.bottom >>> 24;
    this.bottom &= 0xffffff;
    this.bitsLeft = 8;
  }

  private carry(): void {
    let at = this.length - 1;
    while (at >= 0 && this.bytes[at] === 255) this.bytes[at--] = 0;
    if (at >= 0) this.bytes[at]! += 1;
  }
}
