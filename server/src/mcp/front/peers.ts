import { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { randomString } from '../../lib/ids.ts';
import type { Sealer } from '../../lib/seal.ts';
import { LazySubscription } from '../../platform/shared/lazy-subscription.ts';
import type { Shared } from '../../platform/shared/port.ts';
import { mostAnswerBytes } from '../answer-events.ts';
import { unsealed } from './task-ids.ts';

/** Heartbeat interval while a process works on a request, which may take as long as a person thinks. */
const stillEveryMs = 3_000;
/** A process that was silent for this long is considered dead. */
const silenceMs = 10_000;
/** The first heartbeat is sent immediately, so it should arrive within this time. */
const firstWordMs = 5_000;

/** Limit for a client's answers, in whichever process they arrive: the same as for a server's answer. */
export const mostCarriedBytes = mostAnswerBytes;
export const tooLargeToCarry = `The answer is larger than ${mostCarriedBytes / 1024 / 1024} MiB.`;

const said = z.discriminatedUnion('is', [
  z.object({
    is: z.literal('request'),
    id: z.string(),
    from: z.string(),
    kind: z.string(),
    what: z.unknown(),
    // Unix time in milliseconds. After an outage the shared store may deliver requests late, when the sender has given
    // up.
    until: z.number(),
  }),
  z.object({ is: z.enum(['still', 'left']), id: z.string() }),
  z.object({ is: z.literal('done'), id: z.string(), what: z.unknown().optional() }),
]);
type Said = z.infer<typeof said>;

type Work = (what: unknown, signal: AbortSignal) => Promise<unknown>;

interface PeerDeps {
  sealer: Sealer;
  clock: Clock;
  shared: Pick<Shared, 'publish' | 'subscribe'>;
}

interface Asked {
  still(): void;
  done(what: unknown): void;
}

/**
 * Carries requests about a call to the process that holds the call, and the results back. Messages are sealed: the
 * shared store sees neither what people answer nor what tools do.
 */
export class Peers {
  /** Id of this process. */
  readonly own = randomString(16);
  readonly #works = new Map<string, Work>();
  readonly #asked = new Map<string, Asked>();
  readonly #working = new Map<string, AbortController>();
  readonly #listening = new LazySubscription(() =>
    this.deps.shared.subscribe(channelOf(this.own), (text) => this.#hear(text)),
  );

  constructor(private readonly deps: PeerDeps) {}

  /** Registers work that other processes may request from this one. */
  serve(kind: string, work: Work): void {
    this.#works.set(kind, work);
  }

  /** From now on other processes can reach this one. */
  listen(): void {
    this.#listening.begin();
  }

  /** The result of the work; undefined if the process is gone or the caller disconnected. */
  async ask(process: string, kind: string, what: unknown, signal: AbortSignal): Promise<unknown> {
    await this.#listening.begun();
    const id = randomString(16);
    const { promise, resolve } = Promise.withResolvers<unknown>();
    let timer = setTimeout(resolve, firstWordMs, undefined);
    const still = () => {
      clearTimeout(timer);
      timer = setTimeout(resolve, silenceMs, undefined);
    };
    const leave = () => {
      void this.#say(process, { is: 'left', id });
      resolve(undefined);
    };
    this.#asked.set(id, { still, done: resolve });
    signal.addEventListener('abort', leave, { once: true });
    try {
      if (signal.aborted) return undefined;
      const until = this.deps.clock.nowMs() + firstWordMs;
      await this.#say(process, { is: 'request', id, from: this.own, kind, what, until });
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#asked.delete(id);
      signal.removeEventListener('abort', leave);
    }
  }

  #hear(text: string): void {
    const { data } = said.safeParse(unsealed(this.deps.sealer, text));
    if (data?.is === 'request') void this.#work(data);
    else if (data?.is === 'still') this.#asked.get(data.id)?.still();
    else if (data?.is === 'done') this.#asked.get(data.id)?.done(data.what);
    else if (data?.is === 'left') this.#working.get(data.id)?.abort();
  }

  async #work({ id, from, kind, what, until }: Extract<Said, { is: 'request' }>): Promise<void> {
    const work = this.#works.get(kind);
    if (!work || this.#working.has(id) || this.deps.clock.nowMs() > until) return;
    const leaving = new AbortController();
    this.#working.set(id, leaving);
    const still = () => void this.#say(from, { is: 'still', id });
    const timer = setInterval(still, stillEveryMs);
    try {
      still();
      const done = await work(what, leaving.signal).catch(() => undefined);
      await this.#say(from, { is: 'done', id, what: done });
    } finally {
      clearInterval(timer);
      this.#working.delete(id);
    }
  }

  /** If publishing fails, the other process times out and considers this one dead. */
  #say(process: string, message: Said): Promise<void> {
    const { shared, sealer } = this.deps;
    return shared.publish(channelOf(process), sealer.seal(JSON.stringify(message))).catch(() => {});
  }

  stop(): Promise<void> {
    return this.#listening.stop();
  }
}

const channelOf = (process: string): string => `mcp-peer-${process}`;
