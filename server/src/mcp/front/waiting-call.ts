import { isObject } from '../../lib/is-object.ts';
import type { Params } from '../connection.ts';
import type { McpFault } from '../fault.ts';
import type { Exchange } from './served.ts';

/** Servers that want to know several things ask them one right after the other: the client is asked them together. */
const gatherMs = 50;

/** The request that a call is answered through at the moment. */
export type Attached = Pick<Exchange, 'signal' | 'log' | 'progress'>;

export type Outcome = { result: Params } | { error: unknown };

interface OpenQuestion {
  /** That its answer is told under. */
  name: string;
  method: string;
  params: Params;
}

/** A call whose client can be asked something only by answering it. It goes on by itself between the client's requests. */
export class WaitingCall {
  /** That the client comes back to it by; null while it was asked nothing. */
  id: string | null = null;
  /** How often the client has come back. */
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

  /** What the call is made with: whoever is there at the moment hears what is said meanwhile. */
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
    // As `Questions` writes them: a question under its name, or that one is asked no more.
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

  /** How it ended; null where the client is asked something first. */
  async next(): Promise<Outcome | null> {
    while (!this.#outcome && !(this.#gathered && this.#questions.size > 0)) {
      this.#gathered = false;
      await this.#woken.promise;
      this.#woken = Promise.withResolvers();
    }
    return this.#outcome;
  }

  /** As the newest revision has them. */
  inputRequests(): Params {
    return Object.fromEntries([...this.#questions].map(([key, { method, params }]) => [key, { method, params }]));
  }

  /** With what the client answers; what it left out, or the server could not be told, it is asked once more. */
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

  /** The client was answered, and may come back: that its request is over does not end the call. */
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

  /** Made when it is asked for, which most calls are over before. */
  #signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal;
    this.#controller = new AbortController();
    this.#follow();
    return this.#controller.signal;
  }

  /** Revision 2026-07-28, cancellation: whoever closes the connection has taken the call back. */
  #follow(): void {
    if (!this.#controller || !this.#attached) return;
    const { signal } = this.#attached;
    if (signal.aborted) this.#leave();
    else signal.addEventListener('abort', this.#leave, { once: true });
  }

  readonly #leave = (): void => this.#controller?.abort();
}
