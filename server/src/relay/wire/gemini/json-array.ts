import { parseFrame, SseFramer } from '../../../lib/sse.ts';

const encoder = new TextEncoder();

/** What clients that do not ask for events get instead: the same answers as the elements of one array, as they come. */
export class JsonArray {
  readonly type = 'application/json; charset=utf-8';
  readonly #framer = new SseFramer();
  #begun = false;

  push(bytes: Uint8Array | string): string {
    let out = '';
    for (const frame of this.#framer.push(typeof bytes === 'string' ? encoder.encode(bytes) : bytes))
      out += this.#element(parseFrame(frame)?.data ?? '');
    return out;
  }

  end(): string {
    return this.#begun ? '\n]\n' : '[]\n';
  }

  /** A comment keeps the connection open; white space does the same here. */
  #element(data: string): string {
    if (data === '') return '\n';
    const before = this.#begun ? ',\r\n' : '[';
    this.#begun = true;
    return before + data;
  }
}
