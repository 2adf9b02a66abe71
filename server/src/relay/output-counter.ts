import { loadTokens } from '../lib/tokens.ts';
import { charsPerToken } from './prompt.ts';

/** Longer than most answers, so that answers of upstreams that report usage are hardly ever counted here. */
const mostBytes = 16_384;
const firstBytes = 512;
const shortBytes = 256;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Counts text in chunks, so that long answers are not kept whole. Stored as bytes of a JSON string: stream chunks
 * arrive in that form and are decoded only if the upstream does not count, and thousands of open streams would
 * otherwise each hold a rope of thousands of small strings.
 */
export class OutputCounter {
  #bytes = new Uint8Array(0);
  #length = 0;
  #tokens = 0;
  #pending: Promise<void> = Promise.resolve();

  add = (text: string): void => {
    this.addEscaped(encoder.encode(JSON.stringify(text).slice(1, -1)));
  };

  /** Bytes of a JSON string without its quotes. */
  addEscaped = (bytes: Uint8Array, from = 0, to = bytes.length): void => {
    const added = to - from;
    if (this.#length + added > mostBytes) this.#flush();
    if (added > mostBytes) {
      this.#count(bytes.subarray(from, to));
      return;
    }
    this.#reserve(this.#length + added);
    const kept = this.#bytes;
    let at = this.#length;
    // Most chunks are one word long: a loop copies them faster than creating a subarray.
    if (added > shortBytes) kept.set(bytes.subarray(from, to), at);
    else for (let i = from; i < to; i += 1, at += 1) kept[at] = bytes[i]!;
    this.#length += added;
  };

  /** A rough figure, available at once, for holds that grow with the stream. */
  roughly(): number {
    return this.#tokens + Math.ceil(this.#length / charsPerToken);
  }

  async count(): Promise<number> {
    this.#flush();
    await this.#pending;
    return this.#tokens;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.min(mostBytes, Math.max(bytes, this.#bytes.length * 2, firstBytes)));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }

  #flush(): void {
    if (this.#length === 0) return;
    this.#count(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
  }

  #count(escaped: Uint8Array): void {
    const text = unescaped(decoder.decode(escaped));
    this.#pending = this.#pending.then(async () => {
      const { count } = await loadTokens();
      const tokens = await count(text);
      this.#tokens += tokens;
    });
  }
}

/** Frames are forwarded without parsing, so the text may not be valid JSON; then it is counted as it stands. */
function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}
