import { isObject } from '../../lib/is-object.ts';
import type { Params } from '../connection.ts';
import type { McpFault } from '../fault.ts';
import type { Exchange } from './endpoint.ts';

/**
 * Servers that need several inputs ask for them right after one another, so the questions are collected and sent
 * together.
 */
const gatherMs = 50;

/** The request that currently receives the call's messages and result. */
export type Attached = Pick<Exchange, 'signal' | 'log' | 'progress'>;

export type Outcome = { result: Params } | { error: unknown };

interface OpenQuestion {
  /** Name under which its answer is delivered. */
  name: string;
  method: string;
  params: Params;
}

/**
 * A call whose client can be asked only by ending its request with the questions. The call keeps running between the
 * client's requests.
 */
export class WaitingCall {
  /** Id by which the client resumes the call; null as long as it was asked nothing. */
  id: string | null = null;
  /** How often the client has resumed the call. */
  round = 0;
  readonly ended: Promise<Outcome>;
  readonly #questions = new Map<string, OpenQuestion>();
  #asked = 0;
  #outcome: Outcome | null = null;
  #attached: Attached | null;
  #controller: AbortController | null = null;
  #gathered = false;
  #woken = Promise.withResolvers<void>();

  constructor(exchange: Exchange, work: (behind: Exchange) => Promise<Params>) {
    this.#attached = exchange;
    this.ended = work(this.#behind(exchange)).then(
      (result) => this.#end({ result }),
      (error) => this.#end({ error }),
    );
  }

  #end(outcome: Outcome): Outcome {
    this.#outcome = outcome;
    this.#woken.resolve();
    return outcome;
  }

  /** The exchange that the call is made with: messages go to whichever request is attached at the moment. */
  #behind({ caller, holder, origin, requestId, headers, log, progress }: Exchange): Exchange {
    const signal = () => this.#signal();
    return {
      ...{ caller, holder, origin, requestId, headers, newest: true, deaf: true, say: this.#say },
      ...(log && { log: (message) => this.#attached?.log?.(message) }),
      ...(progress && { progress: (done) => this.#attached?.progress?.(done) }),
      get signal() {
        return signal();
      },
    };
  }

  readonly #say = (message: object): void => {
    // Sent by `Questions`: a question under its name, or the cancellation of one.
    const { id, method, params } = message as { id?: string; method: string; params: Params };
    if (id === undefined) {
      for (const [key, { name }] of this.#questions) if (name === params.requestId) this.#questions.delete(key);
      return;
    }
    this.#asked += 1;
    this.#questions.set(`q${this.#asked}`, { name: id, method, params });
    setTimeout(() => this.#ask(), gatherMs);
  };

  #ask(): void {
    this.#gathered = true;
    this.#woken.resolve();
  }

  /** How the call ended; null if the client has to be asked first. */
  async next(): Promise<Outcome | null> {
    while (!this.#outcome && !(this.#gathered && this.#questions.size > 0)) {
      this.#gathered = false;
      await this.#woken.promise;
      this.#woken = Promise.withResolvers();
    }
    return this.#outcome;
  }

  /** The open questions in the form of the newest revision. */
  inputRequests(): Params {
    return Object.fromEntries([...this.#questions].map(([key, { method, params }]) => [key, { method, params }]));
  }

  /**
   * Resumes the call with the client's answers. Questions that were left out, or whose answer could not be delivered,
   * are asked again.
   */
  async goOn(
    attached: Attached,
    given: Params,
    tell: (name: string, result: Params) => Promise<boolean>,
  ): Promise<void> {
    this.round += 1;
    this.#attached = attached;
    this.#follow();
    for (const [key, question] of [...this.#questions]) {
      const result = Object.hasOwn(given, key) ? given[key] : undefined;
      if (!isObject(result)) continue;
      this.#questions.delete(key);
      if (!(await tell(question.name, result))) this.#questions.set(key, question);
    }
    this.#gathered = true;
  }

  /** The client got the questions as its answer and may come back, so the end of its request must not end the call. */
  detach(): void {
    if (this.#controller) this.#attached?.signal.removeEventListener('abort', this.#leave);
    this.#attached = null;
  }

  get isAttached(): boolean {
    return this.#attached !== null;
  }

  giveUp(why: McpFault): void {
    this.#signal();
    this.#controller!.abort(why);
  }

  /** Created lazily, since most calls end before it is needed. */
  #signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal;
    this.#controller = new AbortController();
    this.#follow();
    return this.#controller.signal;
  }

  /** Revision 2026-07-28, cancellation: closing the connection cancels the call. */
  #follow(): void {
    if (!this.#controller || !this.#attached) return;
    const { signal } = this.#attached;
    if (signal.aborted) this.#leave();
    else signal.addEventListener('abort', this.#leave, { once: true });
  }

  readonly #leave = (): void => this.#controller?.abort();
}
