import { onForget } from '../../session.ts';
import { ask, costOf } from './ask.ts';
import { type AnswerEntry, type Entry, newAnswer } from './conversation.ts';
import { forgetChat, keepChat, keptChat } from './kept-chat.ts';

/** `crypto.randomUUID` is missing on pages that came over plain http. */
export const newId = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-');

/** Each chunk re-reads the whole text as Markdown: at most this often, and no more than half of the time. */
const paintEveryMs = 50;

/** Paints when asked to, with rests as long as painting took: a long answer on a slow machine must leave time for a click on Stop. */
function painter(paint: () => void): () => void {
  let resting = false;
  let missed = false;
  return function wanted(): void {
    missed = resting;
    if (resting) return;
    resting = true;
    const begun = performance.now();
    paint();
    const rested = () => {
      resting = false;
      if (missed) wanted();
    };
    // Timers run when it is painted.
    setTimeout(() => setTimeout(rested, Math.max(paintEveryMs, performance.now() - begun)));
  };
}

interface Shown {
  entries: Entry[];
  busy: boolean;
}

/** A conversation that goes on whether its page is open or not: who leaves the page has not asked to stop the answer. */
class ChatStore {
  #shown: Shown;
  #running: AbortController | null = null;
  #forgotten = false;
  readonly #listeners = new Set<() => void>();

  constructor(
    readonly userId: number,
    entries: Entry[],
  ) {
    this.#shown = { entries, busy: false };
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  shown = (): Shown => this.#shown;

  /** Asks for the answer to this history; what else was said goes. */
  async run(history: Entry[], model: string, request: Record<string, unknown>): Promise<void> {
    this.stop();
    const controller = new AbortController();
    this.#running = controller;
    const startedAt = Math.floor(Date.now() / 1000);
    let current = newAnswer(newId(), model, request);
    let ended = false;
    const paint = painter(() => {
      if (!ended) this.#replace(current);
    });
    this.#show({ entries: [...history, current], busy: true });
    try {
      current = await ask(current, controller.signal, (answer) => {
        current = answer;
        paint();
      });
    } catch (error) {
      const failed = { state: 'failed', error: error as Error } as const;
      current = { ...current, ...(controller.signal.aborted ? { state: 'stopped' } : failed) };
    }
    ended = true;
    this.#replace(current);
    if (this.#running === controller) {
      this.#running = null;
      this.#show({ ...this.#shown, busy: false });
    }
    this.keep();
    if (current.stats.cost !== undefined || current.stats.requestId === undefined) return;
    const cost = await costOf(current, startedAt).catch(() => undefined);
    if (cost !== undefined) this.#replace({ ...current, stats: { ...current.stats, cost } });
  }

  stop(): void {
    this.#running?.abort();
  }

  clear(): void {
    this.stop();
    this.#show({ ...this.#shown, entries: [] });
    this.keep();
  }

  keep(): void {
    if (!this.#forgotten) keepChat(this.userId, this.#shown.entries);
  }

  /** An answer that was under way ends a moment later, and must not write down again what was forgotten. */
  forget(): void {
    this.#forgotten = true;
    this.stop();
    forgetChat();
  }

  #replace(answer: AnswerEntry): void {
    const entries = this.#shown.entries.map((entry) => (entry.id === answer.id ? answer : entry));
    this.#show({ ...this.#shown, entries });
  }

  #show(shown: Shown): void {
    this.#shown = shown;
    for (const listener of this.#listeners) listener();
  }
}

let current: ChatStore | null = null;

/** The conversation of this tab, as far as it is this user's. */
export function chatOf(userId: number): ChatStore {
  if (current?.userId !== userId) {
    current?.forget();
    current = new ChatStore(userId, keptChat(userId));
  }
  return current;
}

onForget(() => {
  if (current) current.forget();
  else forgetChat();
  current = null;
});

// What has come of an answer so far is kept through a reload.
if (typeof window !== 'undefined') window.addEventListener('pagehide', () => current?.keep());
