/** Writes numbers of any number of bits, highest first. */
export class BitWriter {
  private readonly bytes: number[] = [];
  private pending = 0;
  private free = 8;

  put(value: number, bits: number): this {
    for (let bit = bits - 1; bit >= 0; bit -= 1) {
      this.free -= 1;
      // Divided rather than shifted: shifts see 32 bits only, and FLAC counts samples in 36.
      if (Math.floor(value / 2 ** bit) % 2 === 1) this.pending |= 1 << this.free;
      if (this.free === 0) {
        this.bytes.push(this.pending);
        this.pending = 0;
        this.free = 8;
      }
    }
    return this;
  }

  get bitLength(): number {
    return this.bytes.length * 8 + (8 - this.free);
  }

  /** The bytes so far, the last filled up with zeros, or all of a given length. */
  finish(length = Math.ceil(this.bitLength / 8)): Uint8Array {
    const out = new Uint8Array(length);
    out.set(this.free === 8 ? this.bytes : [...this.bytes, this.pending]);
    return out;
  }
}
