const key = Buffer.from('"model":');
const quote = 34;
const backslash = 92;

/**
 * Replaces the value of the first `"model"` member in a frame. Quotes inside JSON strings are escaped, so the key as
 * written here occurs only as a real member name; the chunk is not parsed and written anew.
 */
export class ModelRewriter {
  readonly #name: Buffer;

  constructor(model: string) {
    this.#name = Buffer.from(JSON.stringify(model));
  }

  apply(frame: Uint8Array): Uint8Array {
    const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
    const at = bytes.indexOf(key);
    if (at === -1) return frame;
    let start = at + key.length;
    while (bytes[start] === 32) start++;
    if (bytes[start] !== quote) return frame;
    let end = start + 1;
    while (end < bytes.length && bytes[end] !== quote) end += bytes[end] === backslash ? 2 : 1;
    if (bytes.subarray(start, end + 1).equals(this.#name)) return frame;
    return Buffer.concat([bytes.subarray(0, start), this.#name, bytes.subarray(end + 1)]);
  }
}
