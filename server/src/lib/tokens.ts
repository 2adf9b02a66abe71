import { Worker } from 'node:worker_threads';
import { sampleOf } from './token-sample.ts';

interface Cut {
  text: string;
  cut: boolean;
  tokens: number;
}

/** Counts in a thread, so that no text blocks the event loop. */
export interface Tokens {
  count(text: string): Promise<number>;
  /** The same for many texts; above a mebibyte in total, by samples. `unsure` is used if nothing can be counted. */
  countEach(texts: readonly string[], unsure?: (text: string) => number): Promise<number[]>;
  /** The longest prefix of at most `limit` tokens, and whether the text was cut. */
  cut(text: string, limit: number): Promise<Cut>;
}

/**
 * Texts are passed as one string and their lengths: transferring a hundred thousand strings takes longer than counting
 * them.
 */
export type Question =
  | { id: number; joined: string; lengths: Uint32Array }
  | { id: number; text: string; limit: number };
export type Reply = { id: number } & ({ counts: Uint32Array } | Cut);

type Asked<T> = T extends unknown ? Omit<T, 'id'> : never;
type Answered = Reply | null;

/**
 * Characters that may queue for the thread; beyond that, texts are estimated at once instead of waiting for minutes.
 */
const mostWaiting = 16 * 1024 * 1024;

/**
 * How long the thread may work without an answer. It loads its vocabulary in half a second and counts the longest
 * question in another, so whatever takes this long has no end.
 */
const patienceMs = 15_000;
/** Looked at so often during that time, because a process that was suspended must not blame its thread. */
const looks = 10;

class Thread {
  #worker: Worker | undefined;
  #last = 0;
  #waitingChars = 0;
  /** Looks since the last answer, while questions were pending. */
  #silent = 0;
  #watch: ReturnType<typeof setInterval> | undefined;
  readonly #waiting = new Map<number, (answer: Answered) => void>();

  constructor(
    readonly start: () => Worker,
    readonly patienceMs: number,
  ) {}

  /** Null if it cannot be counted: the queue is full, or the thread has died or hangs. */
  async ask(question: Asked<Question>, chars: number): Promise<Answered> {
    if (this.#waitingChars > mostWaiting) return null;
    const worker = this.#running();
    if (!worker) return null;
    const id = ++this.#last;
    this.#waitingChars += chars;
    // Keeps the process alive only while a count is pending.
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
      // The machine is out of threads; an estimate is charged instead.
      return null;
    }
    worker.on('message', (reply: Reply) => {
      this.#silent = 0;
      this.#answer(reply.id, reply);
    });
    worker.on('error', () => this.#lose(worker));
    worker.on('exit', () => this.#lose(worker));
    this.#silent = 0;
    this.#watch = setInterval(() => this.#look(worker), this.patienceMs / looks);
    this.#watch.unref();
    this.#worker = worker;
    return worker;
  }

  #look(worker: Worker): void {
    this.#silent = this.#waiting.size === 0 ? 0 : this.#silent + 1;
    if (this.#silent > looks) this.#lose(worker);
  }

  #answer(id: number, answer: Answered): void {
    const resolve = this.#waiting.get(id);
    this.#waiting.delete(id);
    // In a separate turn: code that runs the event loop inside a message handler would get no further messages.
    if (resolve) setImmediate(resolve, answer);
  }

  /** Pending counts fall back to an estimate; the next one starts another thread. */
  #lose(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    clearInterval(this.#watch);
    void worker.terminate();
    for (const id of [...this.#waiting.keys()]) this.#answer(id, null);
  }
}

/** About four bytes per token. */
const estimate = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4);

export function openTokens(start: () => Worker, patience = patienceMs): Tokens {
  const thread = new Thread(start, patience);
  const countEach: Tokens['countEach'] = async (texts, unsure = estimate) => {
    const { pieces, counts } = sampleOf(texts);
    const joined = pieces.join('');
    if (joined === '') return texts.map(() => 0);
    const lengths = Uint32Array.from(pieces, (piece) => piece.length);
    const reply = await thread.ask({ joined, lengths }, joined.length);
    return reply && 'counts' in reply ? counts(reply.counts) : texts.map((text) => unsure(text));
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

// The executable contains the thread's program under this name: see scripts/build-binary.ts.
const tokens = openTokens(() => new Worker(new URL('./tokens-worker.ts', import.meta.url)));

export const loadTokens = (): Promise<Tokens> => Promise.resolve(tokens);
