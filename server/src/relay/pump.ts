import type { ByteSource } from '../lib/byte-source.ts';
import type { AppError } from '../lib/errors.ts';
import type { Usage } from '../lib/money.ts';
import { pingAfterMs } from '../platform/http/event-stream.ts';
import { toAppError } from '../platform/http/to-app-error.ts';
import type { Candidate } from '../routing/candidate.ts';
import { type ChatAnswer, type End, type ReadAnswer, type Settled, wellEnded } from './answer-chat.ts';
import { asRequest, priceIn, priceOf } from './bill.ts';
import { reportOf } from './dispatch.ts';
import type { OutputCounter } from './output-counter.ts';
import { isStopping, stoppingError } from './stopping.ts';
import { type Delta, failure, UpstreamFault } from './wire/conversation.ts';
import { appErrorOf } from './wire/errors.ts';
import type { RelayStream } from './wire/relay-stream.ts';
import type { AnswerSummary } from './wire/watch.ts';

const progressEveryMs = 1_000;
/** Between the head of an answer and its body being fetched lie microseconds. */
const unfetchedMs = 250;
/** A client that takes nothing for this long is dead, though its connection says nothing of it. */
const patienceMs = 300_000;

export interface StreamEnd extends Settled {
  error?: AppError;
}

const unknownUsage: Usage = { promptTokens: 0, completionTokens: 0 };

/** A stream whose first bytes have come. */
export class BegunStream implements ReadAnswer {
  readonly streamed = true;

  constructor(
    readonly relay: RelayStream,
    readonly body: ByteSource,
    readonly output: OutputCounter,
    /** What callers in this process are given instead of bytes, not taken yet. */
    readonly deltas: Delta[],
    public first: Uint8Array | null,
    /** The upstream has said everything already. */
    readonly over: boolean,
    readonly firstTokenMs: number,
  ) {}

  summary(): AnswerSummary {
    return this.relay.summary();
  }

  countOutput(): Promise<number> {
    return this.output.count();
  }
}

/** Carries the rest of a stream: bytes on, silence watched, money noted, and an honest end whatever happens. */
export class Pump {
  #lastWriteMs: number;
  /** Something that had just come was written since the last tick. */
  #wrote = false;
  #lastProgressMs = 0;
  #write: (bytes: Uint8Array) => unknown = () => {};
  /** The end of the answer, which is handed over once it is charged. */
  #last: Uint8Array | null = null;
  /** Resolves when the client has taken what was written last; undefined when it has. */
  #taken: Promise<void> | undefined;
  /** Set while the client has not taken what was written; ends the waiting. */
  #stopWaiting: (() => void) | undefined;
  /** The client went away, or reads nothing any more. */
  #left = false;
  #running: Promise<StreamEnd> | undefined;

  constructor(
    readonly answer: ChatAnswer<BegunStream>,
    /** What the answer calls it. */
    readonly model: string,
  ) {
    const { deps, context } = answer;
    this.#lastWriteMs = deps.clock.steadyMs();
    context.signal.addEventListener('abort', this.#leave, { once: true });
    if (context.signal.aborted) this.#leave();
  }

  get candidate(): Candidate {
    return this.answer.candidate;
  }

  /** Gives each delta to a caller in this process, as `pump` gives bytes to a client. */
  tell(take: (delta: Delta) => unknown): Promise<StreamEnd> {
    return this.pump(() => {
      let taken: unknown;
      for (const delta of this.answer.read.deltas.splice(0)) taken = take(delta) ?? taken;
      return taken;
    });
  }

  /** Hands the answer over to its end; resolves when it is charged and reported. Never throws. */
  pump(write: (bytes: Uint8Array) => unknown): Promise<StreamEnd> {
    this.#running ??= this.#run(write);
    return this.#running;
  }

  async #run(write: (bytes: Uint8Array) => unknown): Promise<StreamEnd> {
    const { sent, context } = this.answer;
    this.#write = write;
    sent.onTick((now) => this.#tick(now));
    try {
      return await this.#carry();
    } catch (error) {
      return await this.#broken(error);
    } finally {
      context.signal.removeEventListener('abort', this.#leave);
      sent.onTick(undefined);
      sent.done();
    }
  }

  async #carry(): Promise<StreamEnd> {
    const { sent, read } = this.answer;
    const { relay, body, over, first } = read;
    read.first = null;
    if (over) {
      body.leave();
      return this.#finish(first);
    }
    if (first) await this.#deliver(first);
    if (this.#left) throw new Error('the client left');
    while (await body.flow(this.#take)) {
      if (relay.ended && !relay.error) {
        body.leave();
        return this.#finish(this.#last);
      }
      if (this.#taken) {
        await this.#taken;
        this.#taken = undefined;
        // Time that the client took to read is not the upstream's silence.
        sent.touch();
      }
      if (relay.error) throw new UpstreamFault(relay.error);
      if (this.#left) throw new Error('the client left');
      if (this.#stopping) throw stoppingError();
    }
    const { tail, summary } = relay.end();
    if (relay.error) throw new UpstreamFault(relay.error);
    if (!summary.complete) throw new UpstreamFault(failure('the upstream cut its answer off'));
    return this.#finish(tail);
  }

  get #stopping(): boolean {
    return isStopping(this.answer.deps, this.answer.context);
  }

  /** A piece of the answer on its way; false when there is something to wait for or to end. */
  readonly #take = (bytes: Uint8Array, from: number, to: number): boolean => {
    const { sent, read } = this.answer;
    const { relay } = read;
    sent.touch();
    const out = relay.push(bytes, from, to);
    if (relay.ended && !relay.error) {
      this.#last = out;
      return false;
    }
    // What came before an error in the same piece was said, and is charged: the client gets it.
    if (out) this.#taken = this.#deliver(out);
    return this.#taken === undefined && relay.error === undefined && !this.#left;
  };

  /** Nothing when the client has room for more; else resolves when it has, or is gone: a closed connection may never say so. */
  #deliver(bytes: Uint8Array): Promise<void> | undefined {
    this.#wrote = true;
    if (this.#left) return undefined;
    const taken = this.#hand(bytes);
    return taken instanceof Promise ? this.#wait(taken) : undefined;
  }

  async #wait(taken: Promise<unknown>): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#stopWaiting = resolve;
      taken.then(() => resolve(), this.#leave);
    });
    this.#stopWaiting = undefined;
  }

  /** A connection that cannot be written to is one whose client has left, and no fault of the upstream. */
  #hand(bytes: Uint8Array): unknown {
    try {
      return this.#write(bytes);
    } catch {
      this.#leave();
      return undefined;
    }
  }

  readonly #leave = (): void => {
    this.#left = true;
    this.#stopWaiting?.();
    // Of an answer whose client left before its first byte was fetched nobody asks the rest, and it must be settled.
    if (!this.#running) setTimeout(() => this.pump(() => undefined), unfetchedMs);
  };

  /** Charged first, then the last bytes: nobody has a whole answer that a crash could leave unpaid. */
  async #finish(last: Uint8Array | null): Promise<StreamEnd> {
    // The upstream has said everything: how long charging takes is no silence of its.
    this.answer.sent.allowSilence(Number.POSITIVE_INFINITY);
    const settled: StreamEnd = await this.answer.settle(wellEnded).catch((error) => this.#unpaid(error));
    if (last && !settled.error) await this.#deliver(this.answer.read.relay.withUsage(last, settled.usage));
    return settled;
  }

  /** Charging failed, which is our own fault: the charge is owed, and the client hears why its answer has no end. */
  async #unpaid(error: unknown): Promise<StreamEnd> {
    const { deps, context, read } = this.answer;
    const told = toAppError(error);
    deps.log.error({ requestId: context.requestId, error }, 'an answer could not be charged');
    await this.#deliver(read.relay.fail(told));
    return { summary: read.summary(), usage: unknownUsage, cost: 0, error: told };
  }

  async #broken(error: unknown): Promise<StreamEnd> {
    const { deps, context, sent, read } = this.answer;
    const left = this.#left;
    sent.abort();
    const settled = await this.answer
      .settle(this.#endOf(error))
      .catch(() => ({ summary: read.summary(), usage: unknownUsage, cost: 0 }));
    if (left) return settled;
    if (this.#stopping) return this.#tellStop(settled);
    const upstream = error instanceof UpstreamFault ? error.error : failure(String(error), sent.timedOut() ? 504 : 502);
    const told = appErrorOf(upstream);
    deps.log.warn({ requestId: context.requestId, reason: upstream.message }, 'a stream broke off');
    await this.#deliver(read.relay.fail(told));
    return { ...settled, error: told };
  }

  /** The answer is not whole, and nobody is to blame. */
  async #tellStop(settled: Settled): Promise<StreamEnd> {
    const told = stoppingError();
    await this.#deliver(this.answer.read.relay.fail(told));
    return { ...settled, error: told };
  }

  /** A request that its own content or a limit ends in mid-stream is no failure of the upstream. */
  #endOf(error: unknown): End {
    if (this.#left) return { status: 'aborted', outcome: 'neutral', cause: 'client_left' };
    const status = 'interrupted';
    if (this.#stopping) return { status, outcome: 'neutral', cause: 'stopping' };
    if (this.answer.sent.timedOut()) return { status, outcome: 'failure', cause: 'timeout' };
    if (!(error instanceof UpstreamFault) || (error.error.kind === 'failure' && !error.error.byRequest))
      return { status, outcome: 'failure', cause: 'truncated' };
    const { outcome, cause } = reportOf(error.error);
    return { status, outcome, cause };
  }

  #ping(now: number): void {
    this.#lastWriteMs = now;
    const taken = this.#hand(this.answer.read.relay.ping());
    if (taken instanceof Promise) taken.catch(this.#leave);
  }

  #tick(now: number): void {
    const { deps, context, call, prompt, candidate, sent, read } = this.answer;
    if (this.#wrote) {
      this.#wrote = false;
      this.#lastWriteMs = sent.lastMs;
    }
    // Whoever is slow to take what was said is told all the same.
    if (this.#stopWaiting && this.#stopping) this.#stopWaiting();
    else if (this.#stopWaiting) {
      if (now - this.#lastWriteMs >= patienceMs) this.#leave();
      else sent.touch();
    } else if (now - this.#lastWriteMs >= pingAfterMs) this.#ping(now);
    // Of work that outlives its process nobody has a part: whoever goes on makes and pays the whole.
    if (!call.hold.stored || context.chargeLater || now - this.#lastProgressMs < progressEveryMs) return;
    this.#lastProgressMs = now;
    const searches = Math.min(read.relay.searches, prompt.believedSearches(candidate));
    const tokens = { promptTokens: prompt.estimate, completionTokens: read.output.roughly() };
    const usage: Usage = searches > 0 ? { ...tokens, searches } : tokens;
    const price = priceIn(context, candidate);
    deps.billing.progress(call.hold, priceOf(price, asRequest(price, usage)), usage, context.endpoint);
  }
}
