import { parseFrame, SseFramer } from '../../../lib/sse.ts';

const encoder = new TextEncoder();

/** For clients that do not ask for SSE: the same answers as elements of a JSON array, streamed. */
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

  /** Comments keep the connection open; here white space does. */
  #element(data: string): string {
    if (data === '') return '\n';
    const before = this.#begun ? ',\r\n' : '[';
    this.#begun = true;
    return before + data;
  }
}
