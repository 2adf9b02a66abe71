import type { ByteSource } from '../lib/byte-source.ts';
import type { AppError } from '../lib/errors.ts';
import type { Usage } from '../lib/money.ts';
import { pingAfterMs } from '../platform/http/event-stream.ts';
import { toAppError } from '../platform/http/to-app-error.ts';
import type { Candidate } from '../routing/candidate.ts';
import { type ChatAnswer, type End, type ReadAnswer, type Settled, successfulEnd } from './answer-chat.ts';
import { effectivePrice, priceOf, withRequestPrice } from './charge.ts';
import { reportOf } from './dispatch.ts';
import type { OutputCounter } from './output-counter.ts';
import { isStopping, stoppingError } from './stopping.ts';
import { type Delta, failure, UpstreamFault } from './wire/conversation.ts';
import { appErrorOf } from './wire/errors.ts';
import type { RelayStream } from './wire/relay-stream.ts';
import type { AnswerSummary } from './wire/watch.ts';

const progressEveryMs = 1_000;
/** The body is normally fetched within microseconds after the head. */
const unfetchedMs = 250;
/** A client that reads nothing for this long is considered dead, even if its connection does not say so. */
const patienceMs = 300_000;

export interface StreamEnd extends Settled {
  error?: AppError;
}

const unknownUsage: Usage = { promptTokens: 0, completionTokens: 0 };

/** A stream whose first bytes have arrived. */
export class BegunStream implements ReadAnswer {
  readonly streamed = true;
  #recounted = false;

  constructor(
    readonly relay: RelayStream,
    readonly body: ByteSource,
    readonly output: OutputCounter,
    /** Deltas not yet taken, for callers in this process. */
    readonly deltas: Delta[],
    public first: Uint8Array | null,
    /** Whether the upstream has already finished. */
    readonly over: boolean,
    readonly firstTokenMs: number,
  ) {}

  summary(): AnswerSummary {
    return this.relay.summary();
  }

  countOutput(): Promise<number> {
    return this.output.count();
  }

  recount(): undefined {
    this.#recounted = true;
  }

  /** The last bytes, with the usage that was charged. */
  ending(last: Uint8Array, usage: Usage): Uint8Array {
    return this.#recounted ? this.relay.withUsage(last, usage) : last;
  }
}

/** Forwards the rest of a stream, watches for silence, records progress for billing, and always writes a proper end. */
export class Pump {
  #lastWriteMs: number;
  /** Whether new data was written since the last tick. */
  #wrote = false;
  #lastProgressMs = 0;
  #write: (bytes: Uint8Array) => unknown = () => {};
  /** The last bytes of the answer, delivered once it is charged. */
  #last: Uint8Array | null = null;
  /** Pending while the client has not taken the last write. */
  #taken: Promise<void> | undefined;
  /** Ends the wait for the client; set only while waiting. */
  #stopWaiting: (() => void) | undefined;
  /** The client disconnected, or stopped reading. */
  #left = false;
  #running: Promise<StreamEnd> | undefined;

  constructor(
    readonly answer: ChatAnswer<BegunStream>,
    /** The model name shown in the answer. */
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

  /** Delivers deltas to a caller in this process, as `pump` delivers bytes to a client. */
  tell(take: (delta: Delta) => unknown): Promise<StreamEnd> {
    return this.pump(() => {
      let taken: unknown;
      for (const delta of this.answer.read.deltas.splice(0)) taken = take(delta) ?? taken;
      return taken;
    });
  }

  /** Delivers the answer to its end; resolves once it is charged and reported. Never throws. */
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
    if (this.#left) throw new Error('the client disconnected');
    while (await body.flow(this.#take)) {
      if (relay.ended && !relay.error) {
        body.leave();
        return this.#finish(this.#last);
      }
      if (this.#taken) {
        await this.#taken;
        this.#taken = undefined;
        // The client's reading time does not count as the upstream's silence.
        sent.touch();
      }
      if (relay.error) throw new UpstreamFault(relay.error);
      if (this.#left) throw new Error('the client disconnected');
      if (this.#stopping) throw stoppingError();
    }
    const { tail, summary } = relay.end();
    if (relay.error) throw new UpstreamFault(relay.error);
    if (!summary.complete) throw new UpstreamFault(failure('the upstream response was cut off'));
    return this.#finish(tail);
  }

  get #stopping(): boolean {
    return isStopping(this.answer.deps, this.answer.context);
  }

  /** Processes a chunk; false if there is something to wait for, or the stream is over. */
  readonly #take = (bytes: Uint8Array, from: number, to: number): boolean => {
    const { sent, read } = this.answer;
    const { relay } = read;
    sent.touch();
    const out = relay.push(bytes, from, to);
    if (relay.ended && !relay.error) {
      this.#last = out;
      return false;
    }
    // Output that precedes an error in the same chunk is charged, so the client gets it.
    if (out) this.#taken = this.#deliver(out);
    return this.#taken === undefined && relay.error === undefined && !this.#left;
  };

  /**
   * Undefined if the client can take more; else resolves when it can, or is gone (a closed connection may not report
   * it).
   */
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

  /** A failing write means that the client disconnected; it is not the upstream's fault. */
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
    // The client left before fetching the first byte, so nothing reads the rest: drain it here, so that it is settled.
    if (!this.#running) setTimeout(() => this.pump(() => undefined), unfetchedMs);
  };

  /** Charges first, then sends the last bytes: a crash cannot leave a complete answer unpaid. */
  async #finish(last: Uint8Array | null): Promise<StreamEnd> {
    // The upstream is done: the time charging takes does not count as its silence.
    this.answer.sent.allowSilence(Number.POSITIVE_INFINITY);
    const settled: StreamEnd = await this.answer.settle(successfulEnd).catch((error) => this.#unpaid(error));
    if (last && !settled.error) await this.#deliver(this.answer.read.ending(last, settled.usage));
    return settled;
  }

  /** Charging failed, which is our fault: the charge stays due, and the client is told why the answer has no end. */
  async #unpaid(error: unknown): Promise<StreamEnd> {
    const { deps, context, read } = this.answer;
    const told = toAppError(error);
    deps.log.error({ requestId: context.requestId, error }, 'could not charge for an answer');
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
    deps.log.warn({ requestId: context.requestId, reason: upstream.message }, 'a stream was interrupted');
    await this.#deliver(read.relay.fail(told));
    return { ...settled, error: told };
  }

  /** The answer is incomplete because of the shutdown; no party is at fault. */
  async #tellStop(settled: Settled): Promise<StreamEnd> {
    const told = stoppingError();
    await this.#deliver(this.answer.read.relay.fail(told));
    return { ...settled, error: told };
  }

  /** A content filter or limit that ends the stream is not a failure of the upstream. */
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
    // A slow client is told about the shutdown as well.
    if (this.#stopWaiting && this.#stopping) this.#stopWaiting();
    else if (this.#stopWaiting) {
      if (now - this.#lastWriteMs >= patienceMs) this.#leave();
      else sent.touch();
    } else if (now - this.#lastWriteMs >= pingAfterMs) this.#ping(now);
    // Durable work has no partial answers: the process that takes over asks again and pays for the whole.
    if (!call.hold.stored || context.chargeLater || now - this.#lastProgressMs < progressEveryMs) return;
    this.#lastProgressMs = now;
    const searches = Math.min(read.relay.searches, prompt.believedSearches(candidate));
    const tokens = { promptTokens: prompt.estimate, completionTokens: read.output.roughly() };
    const usage: Usage = searches > 0 ? { ...tokens, searches } : tokens;
    const price = effectivePrice(context, candidate);
    deps.billing.progress(call.hold, priceOf(price, withRequestPrice(price, usage)), usage, context.endpoint);
  }
}
