import type { AppError } from '../lib/errors.ts';
import type { Usage } from '../lib/money.ts';
import type { Candidate } from '../routing/candidate.ts';
import type { Cause } from '../routing/decision.ts';
import type { Attempt } from '../routing/plan.ts';
import { priceOf, settle } from './bill.ts';
import type { Errand, RelayDeps } from './deps.ts';
import { reportOf, type UpstreamCall } from './dispatch.ts';
import type { OpenCall } from './open-call.ts';
import type { OutputCounter } from './output-counter.ts';
import type { Prompt } from './prompt.ts';
import type { ByteSource } from './upstream/source.ts';
import { failure, UpstreamFault } from './wire/conversation.ts';
import { appErrorOf } from './wire/errors.ts';
import type { RelayStream } from './wire/relay-stream.ts';
import type { AnswerSummary } from './wire/watch.ts';

/** Proxies and clients give a silent connection up after 30 to 60 s. */
export const pingAfterMs = 15_000;
const progressEveryMs = 1_000;
/** Between the head of an answer and its body being fetched lie microseconds. */
const unfetchedMs = 1_000;
/** A client that takes nothing for this long is dead, though its connection says nothing of it. */
const patienceMs = 300_000;

/** A streamed answer, ready to be handed over. */
export interface OpenStream {
  readonly candidate: Candidate;
  /** Public name of the model. */
  readonly modelId: string;
  /** Hands the answer over to its end; resolves when it is charged and reported. Never throws. */
  pump(write: (bytes: Uint8Array) => unknown): Promise<StreamEnd>;
}

export interface StreamEnd {
  summary: AnswerSummary;
  usage: Usage;
  cost: number;
  error?: AppError;
}

/** A stream whose first bytes have come. */
export interface Begun {
  attempt: Attempt;
  prompt: Prompt;
  sent: UpstreamCall;
  relay: RelayStream;
  body: ByteSource;
  output: OutputCounter;
  first: Uint8Array | null;
  /** The upstream has said everything already. */
  over: boolean;
  firstTokenMs: number;
}

/** Carries the rest of a stream: bytes on, silence watched, money noted, and an honest end whatever happens. */
export class Pump implements OpenStream {
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
    readonly deps: RelayDeps,
    readonly errand: Errand,
    readonly call: OpenCall,
    readonly begun: Begun,
  ) {
    this.#lastWriteMs = deps.clock.nowMs();
    errand.signal.addEventListener('abort', this.#leave, { once: true });
    if (errand.signal.aborted) this.#leave();
  }

  get candidate(): Candidate {
    return this.begun.attempt.candidate;
  }

  get modelId(): string {
    return this.call.modelId;
  }

  pump(write: (bytes: Uint8Array) => unknown): Promise<StreamEnd> {
    this.#running ??= this.#run(write);
    return this.#running;
  }

  async #run(write: (bytes: Uint8Array) => unknown): Promise<StreamEnd> {
    this.#write = write;
    this.begun.sent.onTick((now) => this.#tick(now));
    try {
      return await this.#carry();
    } catch (error) {
      return await this.#broken(error);
    } finally {
      this.errand.signal.removeEventListener('abort', this.#leave);
      this.begun.sent.onTick(undefined);
      this.begun.sent.done();
      this.call.plan.close();
    }
  }

  async #carry(): Promise<StreamEnd> {
    const { relay, body, over, sent } = this.begun;
    const { first } = this.begun;
    this.begun.first = null;
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
    }
    const { tail, summary } = relay.end();
    if (relay.error) throw new UpstreamFault(relay.error);
    if (!summary.complete) throw new UpstreamFault(failure('the upstream cut its answer off'));
    return this.#finish(tail);
  }

  /** A piece of the answer on its way; false when there is something to wait for or to end. */
  readonly #take = (bytes: Uint8Array, from: number, to: number): boolean => {
    const { relay, sent } = this.begun;
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
    const summary = this.begun.relay.summary();
    const usage = await this.#usage(summary);
    this.#report('success', summary, usage);
    const cost = await this.#charge(summary, usage, 'ok');
    if (last) await this.#deliver(this.begun.relay.withUsage(last, usage));
    return { summary, usage, cost };
  }

  async #broken(error: unknown): Promise<StreamEnd> {
    const { relay, sent } = this.begun;
    const left = this.#left;
    sent.abort();
    const summary = relay.summary();
    const usage = await this.#usage(summary);
    const { outcome, cause } = this.#verdict(error);
    this.#report(outcome, summary, usage, cause);
    const cost = await this.#charge(summary, usage, left ? 'aborted' : 'interrupted').catch(() => 0);
    if (left) return { summary, usage, cost };
    const upstream = error instanceof UpstreamFault ? error.error : failure(String(error), sent.timedOut() ? 504 : 502);
    const told = appErrorOf(upstream);
    this.deps.log.warn({ requestId: this.errand.requestId, reason: upstream.message }, 'a stream broke off');
    await this.#deliver(relay.fail(told));
    return { summary, usage, cost, error: told };
  }

  /** A request that its own content or a limit ends in mid-stream is no failure of the upstream (contract §8). */
  #verdict(error: unknown): { outcome: 'failure' | 'neutral'; cause: Cause } {
    if (this.#left) return { outcome: 'neutral', cause: 'client_left' };
    if (this.begun.sent.timedOut()) return { outcome: 'failure', cause: 'timeout' };
    if (error instanceof UpstreamFault && error.error.kind !== 'failure') return reportOf(error.error);
    return { outcome: 'failure', cause: 'truncated' };
  }

  async #usage(summary: AnswerSummary): Promise<Usage> {
    if (summary.usageIsFinal && summary.usage) return summary.usage;
    if (!summary.hasOutput) return { promptTokens: 0, completionTokens: 0 };
    const promptTokens = summary.usage?.promptTokens || (await this.begun.prompt.count());
    return { ...summary.usage, promptTokens, completionTokens: await this.begun.output.count() };
  }

  async #charge(summary: AnswerSummary, usage: Usage, status: 'ok' | 'aborted' | 'interrupted'): Promise<number> {
    const { attempt, sent, firstTokenMs } = this.begun;
    if (!summary.hasOutput) {
      await this.deps.billing.release(this.call.hold);
      return 0;
    }
    const bill = { candidate: attempt.candidate, usage, status, stream: true, startedMs: sent.startedMs, firstTokenMs };
    return settle(this.deps, this.errand, this.call.hold, bill);
  }

  #report(outcome: 'success' | 'failure' | 'neutral', summary: AnswerSummary, usage: Usage, cause?: Cause): void {
    const { attempt, sent, firstTokenMs } = this.begun;
    attempt.report({
      outcome,
      latencyMs: this.deps.clock.nowMs() - sent.startedMs,
      ttftMs: firstTokenMs,
      promptTokens: usage.promptTokens,
      completionTokens: usage.completionTokens,
      wellFormed: summary.complete,
      nonEmpty: summary.hasOutput,
      ...(summary.wellFormed !== undefined && { validStructured: summary.wellFormed }),
      ...(cause && { cause }),
    });
  }

  #ping(now: number): void {
    this.#lastWriteMs = now;
    const taken = this.#hand(this.begun.relay.ping());
    if (taken instanceof Promise) taken.catch(this.#leave);
  }

  #tick(now: number): void {
    if (this.#wrote) {
      this.#wrote = false;
      this.#lastWriteMs = this.begun.sent.lastMs;
    }
    if (this.#stopWaiting) {
      if (now - this.#lastWriteMs >= patienceMs) this.#leave();
      else this.begun.sent.touch();
    } else if (now - this.#lastWriteMs >= pingAfterMs) this.#ping(now);
    if (!this.call.hold.stored || now - this.#lastProgressMs < progressEveryMs) return;
    this.#lastProgressMs = now;
    const usage = { promptTokens: this.begun.prompt.estimate, completionTokens: this.begun.output.roughly() };
    const cost = priceOf(this.begun.attempt.candidate.price, usage);
    this.deps.billing.progress(this.call.hold, cost, usage, this.errand.endpoint);
  }
}
