const quote = 34;
const backslash = 92;

/**
 * Replaces the value of a frame's first member of a name, by default `"model"`. Quotes inside JSON strings are escaped,
 * so the key can only be a real member name; the chunk is not parsed.
 */
export class ModelRewriter {
  readonly #name: Buffer;
  readonly #key: Buffer;

  constructor(model: string, key = '"model":') {
    this.#name = Buffer.from(JSON.stringify(model));
    this.#key = Buffer.from(key);
  }

  apply(frame: Uint8Array): Uint8Array {
    const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
    const at = bytes.indexOf(this.#key);
    if (at === -1) return frame;
    let start = at + this.#key.length;
    while (bytes[start] === 32) start++;
    if (bytes[start] !== quote) return frame;
    let end = start + 1;
    while (end < bytes.length && bytes[end] !== quote) end += bytes[end] === backslash ? 2 : 1;
    if (bytes.subarray(start, end + 1).equals(this.#name)) return frame;
    return Buffer.concat([bytes.subarray(0, start), this.#name, bytes.subarray(end + 1)]);
  }
}

/**
 * A JSON text with a member's value `from` replaced; null if its position is ambiguous without parsing. Text that
 * occurs once, and is a member of the body, must be that member, since quotes inside strings are escaped.
 */
export function renameMember(text: string, member: string, from: unknown, to: string): string | null {
  if (typeof from !== 'string') return null;
  const key = JSON.stringify(member);
  const at = text.indexOf(key);
  if (at < 0 || text.indexOf(key, at + key.length) >= 0) return null;
  const value = JSON.stringify(from);
  const start = text.indexOf('"', at + key.length);
  if (!text.startsWith(value, start)) return null;
  return text.slice(0, start) + JSON.stringify(to) + text.slice(start + value.length);
}
