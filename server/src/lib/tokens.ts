import { Worker } from 'node:worker_threads';
import { sampleOf } from './token-sample.ts';

interface Cut {
  text: string;
  cut: boolean;
  tokens: number;
}

/** Counting is done in a thread of its own, so that no text holds up anybody else. */
export interface Tokens {
  count(text: string): Promise<number>;
  /** The same for many at once; of more than a mebibyte together, by a sample. */
  countEach(texts: readonly string[]): Promise<number[]>;
  /** The longest prefix of at most `limit` tokens, and whether anything was cut. */
  cut(text: string, limit: number): Promise<Cut>;
}

/** Texts go over as one string and their lengths: a hundred thousand strings take longer to hand over than to count. */
export type Question =
  | { id: number; joined: string; lengths: Uint32Array }
  | { id: number; text: string; limit: number };
export type Reply = { id: number } & ({ counts: Uint32Array } | Cut);

type Asked<T> = T extends unknown ? Omit<T, 'id'> : never;
type Answered = Reply | null;

/** Letters that may wait for the thread; what comes on top is estimated at once, or everybody would wait for minutes. */
const mostWaiting = 16 * 1024 * 1024;

class Thread {
  #worker: Worker | undefined;
  #last = 0;
  #waitingChars = 0;
  readonly #waiting = new Map<number, (answer: Answered) => void>();

  constructor(readonly start: () => Worker) {}

  /** Null when there is no counting it: too much waits, or the thread has died. */
  async ask(question: Asked<Question>, chars: number): Promise<Answered> {
    if (this.#waitingChars > mostWaiting) return null;
    const worker = this.#running();
    if (!worker) return null;
    const id = ++this.#last;
    this.#waitingChars += chars;
    // Alive only while somebody waits, so that it keeps no process from ending.
    worker.ref();
    const answer = await new Promise<Answered>((resolve) => {
      this.#waiting.set(id, resolve);
      worker.postMessage({ id, ...question });
    });
    this.#waitingChars -= chars;
    if (this.#waiting.size === 0) this.#worker?.unref();
    return answer;
  }

  /** Started on first use: many processes never count, and the vocabulary takes 65 MB. */
  #running(): Worker | null {
    if (this.#worker) return this.#worker;
    let worker: Worker;
    try {
      worker = this.start();
    } catch {
      // A machine that is out of threads; what was given to a caller is charged all the same.
      return null;
    }
    worker.on('message', (reply: Reply) => this.#answer(reply.id, reply));
    worker.on('error', () => this.#lose(worker));
    worker.on('exit', () => this.#lose(worker));
    this.#worker = worker;
    return worker;
  }

  #answer(id: number, answer: Answered): void {
    const resolve = this.#waiting.get(id);
    this.#waiting.delete(id);
    // In a turn of its own: whoever runs the loop while a message is being handed over gets no further ones.
    if (resolve) setImmediate(resolve, answer);
  }

  /** Those who wait get an estimate; the next question starts another thread. */
  #lose(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    void worker.terminate();
    for (const id of [...this.#waiting.keys()]) this.#answer(id, null);
  }
}

/** About four bytes make a token. */
const estimate = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4);

export function openTokens(start: () => Worker): Tokens {
  const thread = new Thread(start);
  const countEach = async (texts: readonly string[]): Promise<number[]> => {
    const { pieces, counts } = sampleOf(texts);
    const joined = pieces.join('');
    if (joined === '') return texts.map(() => 0);
    const lengths = Uint32Array.from(pieces, (piece) => piece.length);
    const reply = await thread.ask({ joined, lengths }, joined.length);
    return reply && 'counts' in reply ? counts(reply.counts) : texts.map(estimate);
  };
  return {
    countEach,
    count: async (text) => (await countEach([text]))[0]!,
    cut: async (text, limit) => {
      const reply = await thread.ask({ text, limit }, text.length);
      if (reply && 'text' in reply) return { text: reply.text, cut: reply.cut, tokens: reply.tokens };
      const kept = text.slice(0, limit * 4).toWellFormed();
      return { text: kept, cut: kept.length < text.length, tokens: Math.min(limit, estimate(kept)) };
    },
  };
}

// The executable holds the thread's program beside its own, under this name: see scripts/build-binary.ts.
const tokens = openTokens(() => new Worker(new URL('./tokens-worker.ts', import.meta.url)));

export const loadTokens = (): Promise<Tokens> => Promise.resolve(tokens);
