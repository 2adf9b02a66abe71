import { loadTokens } from '../lib/tokens.ts';
import { charsPerToken } from './prompt.ts';

/** Longer than most answers, so that those of upstreams that count for themselves are never counted here. */
const mostBytes = 16_384;
const firstBytes = 512;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Counts text as it comes, in pieces, so that a long answer is never kept whole. Kept as bytes: thousands of open
 * streams would otherwise each hold a chain of thousands of little strings.
 */
export class OutputCounter {
  #bytes = new Uint8Array(0);
  #length = 0;
  #tokens = 0;
  #pending: Promise<void> = Promise.resolve();

  add = (text: string): void => {
    // A UTF-16 unit takes at most three bytes.
    const most = text.length * 3;
    if (this.#length + most > mostBytes) this.#flush();
    if (most > mostBytes) {
      this.#count(text);
      return;
    }
    this.#reserve(this.#length + most);
    this.#length += encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written;
  };

  /** A rough figure at once, for holds that grow with a stream. */
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
    this.#count(decoder.decode(this.#bytes.subarray(0, this.#length)));
    this.#length = 0;
  }

  #count(text: string): void {
    this.#pending = this.#pending.then(async () => {
      this.#tokens += (await loadTokens()).count(text);
    });
  }
}
