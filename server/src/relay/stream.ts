import { AppError } from '../lib/errors.ts';
import type { Usage } from '../lib/money.ts';
import type { Candidate } from '../routing/candidate.ts';
import type { Cause } from '../routing/decision.ts';
import type { Attempt } from '../routing/plan.ts';
import { chatEstimate, countPrompt, estimatePrompt, OutputCounter, priceOf, settle } from './bill.ts';
import type { Errand, RelayDeps } from './deps.ts';
import { type Dispatch, dispatch, kindOf, targetOf } from './dispatch.ts';
import { fitsConversation } from './fits.ts';
import { type OpenCall, openCall } from './open-call.ts';
import { tryCandidates } from './try-candidates.ts';
import { type Conversation, type Delta, failure, UpstreamFault, type WireFormat } from './wire/conversation.ts';
import { appErrorOf } from './wire/errors.ts';
import { RelayStream } from './wire/relay-stream.ts';
import type { AnswerSummary } from './wire/watch.ts';

/** Silence in mid-stream that no healthy upstream keeps; a channel with less patience has its own. */
const mostSilenceMs = 30_000;
/** Proxies and clients give a silent connection up after 30 to 60 s. */
const pingAfterMs = 15_000;
const progressEveryMs = 1_000;

export interface StreamOptions {
  client: WireFormat;
  /** Of the answer, where we write one. */
  answerId: string;
  /** Every step of the answer, for callers inside the house. */
  onDelta?: (delta: Delta) => void;
}

export interface OpenStream {
  candidate: Candidate;
  modelId: string;
  /** Hands the answer over to its end; resolves when it is charged and reported. Never throws. */
  pump(write: (bytes: Uint8Array) => unknown): Promise<StreamEnd>;
}

export interface StreamEnd {
  summary: AnswerSummary;
  usage: Usage;
  cost: number;
  error?: AppError;
}

/** The story of one streamed request up to its first byte: until then another candidate may still take over. */
export async function openStream(
  deps: RelayDeps,
  errand: Errand,
  conversation: Conversation,
  options: StreamOptions,
): Promise<OpenStream> {
  const call = await openCall(
    deps,
    errand,
    conversation.model,
    'chat',
    chatEstimate(conversation),
    fitsConversation(conversation),
  );
  const begun = await tryCandidates(deps, errand, call, (attempt) =>
    begin(deps, errand, conversation, options, attempt),
  );
  const pump = new Pump(deps, errand, conversation, call, begun);
  return { candidate: begun.attempt.candidate, modelId: call.modelId, pump: (write) => pump.run(write) };
}

interface Begun {
  attempt: Attempt;
  sent: Dispatch;
  relay: RelayStream;
  reader: ReadableStreamDefaultReader<Uint8Array>;
  output: OutputCounter;
  first: Uint8Array | null;
  /** The upstream has said everything already. */
  over: boolean;
  firstTokenMs: number;
}

async function begin(
  deps: RelayDeps,
  errand: Errand,
  conversation: Conversation,
  options: StreamOptions,
  attempt: Attempt,
): Promise<Begun> {
  const { candidate } = attempt;
  const kind = kindOf(candidate);
  const sent = await dispatch(deps, attempt, kind.toUpstream(conversation, targetOf(candidate, errand)), errand, true);
  try {
    const { response } = sent;
    if (!response.ok) throw new UpstreamFault(kind.errorOf(response.status, response.headers, await response.text()));
    if (!response.body) throw new UpstreamFault(failure('the upstream sent no body'));
    const output = new OutputCounter();
    const decode = kind.decoder();
    const { onDelta } = options;
    const relay = new RelayStream({
      client: options.client,
      upstream: kind.wire,
      endsExplicitly: kind.endsExplicitly,
      decode: onDelta ? (json) => tell(decode(json), onDelta) : decode,
      model: conversation.model,
      id: options.answerId,
      created: Math.floor(deps.clock.nowMs() / 1000),
      requestId: errand.requestId,
      includeUsage: conversation.includeUsage,
      expectsJson: conversation.params.responseFormat !== undefined,
      promptTokens: estimatePrompt(conversation),
      onOutput: output.add,
    });
    const reader = response.body.getReader();
    const { first, over } = await readFirst(relay, reader, sent);
    const firstTokenMs = deps.clock.nowMs() - sent.startedMs;
    sent.allowSilence(Math.min(candidate.channel.timeoutMs, mostSilenceMs));
    return { attempt, sent, relay, reader, output, first, over, firstTokenMs };
  } catch (error) {
    sent.done();
    sent.abort();
    if (error instanceof UpstreamFault || error instanceof AppError) throw error;
    const silent = sent.timedOut();
    throw new UpstreamFault(failure(silent ? 'the upstream went silent' : String(error), silent ? 504 : 502));
  }
}

function tell(deltas: Delta[], onDelta: (delta: Delta) => void): Delta[] {
  for (const delta of deltas) onDelta(delta);
  return deltas;
}

/** Reads until there is something to give to the client. Comments of the upstream are signs of life, not answers. */
async function readFirst(
  relay: RelayStream,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  sent: Dispatch,
): Promise<{ first: Uint8Array | null; over: boolean }> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      const { tail, summary } = relay.end();
      if (!summary.complete) throw new UpstreamFault(relay.error ?? failure('the upstream closed without an answer'));
      return { first: tail, over: true };
    }
    const out = relay.push(value);
    if (relay.error) throw new UpstreamFault(relay.error);
    if (out) {
      sent.touch();
      return { first: out, over: relay.ended };
    }
  }
}

/** Carries the rest of a stream: bytes on, silence watched, money noted, and an honest end whatever happens. */
class Pump {
  #lastWriteMs: number;
  #lastProgressMs = 0;
  #write: (bytes: Uint8Array) => unknown = () => {};

  constructor(
    readonly deps: RelayDeps,
    readonly errand: Errand,
    readonly conversation: Conversation,
    readonly call: OpenCall,
    readonly begun: Begun,
  ) {
    this.#lastWriteMs = deps.clock.nowMs();
  }

  async run(write: (bytes: Uint8Array) => unknown): Promise<StreamEnd> {
    this.#write = write;
    this.begun.sent.onTick((now) => this.#tick(now));
    try {
      return await this.#carry();
    } catch (error) {
      return this.#broken(error);
    } finally {
      this.begun.sent.onTick(undefined);
      this.begun.sent.done();
      this.call.plan.close();
    }
  }

  async #carry(): Promise<StreamEnd> {
    const { relay, reader, first, over, sent } = this.begun;
    if (over) return this.#finish(first);
    if (first) await this.#send(first);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      sent.touch();
      const out = relay.push(value);
      if (relay.error) throw new UpstreamFault(relay.error);
      if (relay.ended) {
        void reader.cancel().catch(() => {});
        return this.#finish(out);
      }
      if (out) await this.#send(out);
    }
    const { tail, summary } = relay.end();
    if (relay.error) throw new UpstreamFault(relay.error);
    if (!summary.complete) throw new UpstreamFault(failure('the upstream cut its answer off'));
    return this.#finish(tail);
  }

  async #send(bytes: Uint8Array): Promise<void> {
    this.#lastWriteMs = this.deps.clock.nowMs();
    await this.#write(bytes);
    if (this.errand.signal.aborted) throw new Error('the client left');
    // Time that the client took to read is not the upstream's silence.
    this.begun.sent.touch();
  }

  /** Charged first, then the last bytes: nobody has a whole answer that a crash could leave unpaid. */
  async #finish(last: Uint8Array | null): Promise<StreamEnd> {
    const summary = this.begun.relay.summary();
    const usage = await this.#usage(summary);
    this.#report('success', summary, usage);
    const cost = await this.#charge(summary, usage, 'ok');
    if (last) await Promise.resolve(this.#write(last)).catch(() => {});
    return { summary, usage, cost };
  }

  async #broken(error: unknown): Promise<StreamEnd> {
    const { relay, sent } = this.begun;
    const left = this.errand.signal.aborted;
    sent.abort();
    const summary = relay.summary();
    const usage = await this.#usage(summary);
    const cause: Cause = left ? 'client_left' : sent.timedOut() ? 'timeout' : 'truncated';
    this.#report(left ? 'neutral' : 'failure', summary, usage, cause);
    const cost = await this.#charge(summary, usage, left ? 'aborted' : 'interrupted').catch(() => 0);
    if (left) return { summary, usage, cost };
    const upstream = error instanceof UpstreamFault ? error.error : failure(String(error), sent.timedOut() ? 504 : 502);
    const told = appErrorOf(upstream);
    this.deps.log.warn({ requestId: this.errand.requestId, reason: upstream.message }, 'a stream broke off');
    await Promise.resolve(this.#write(relay.fail(told))).catch(() => {});
    return { summary, usage, cost, error: told };
  }

  async #usage(summary: AnswerSummary): Promise<Usage> {
    if (summary.usageIsFinal && summary.usage) return summary.usage;
    if (!summary.hasOutput) return { promptTokens: 0, completionTokens: 0 };
    const promptTokens = summary.usage?.promptTokens || (await countPrompt(this.conversation));
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

  #tick(now: number): void {
    if (now - this.#lastWriteMs >= pingAfterMs) {
      this.#lastWriteMs = now;
      void Promise.resolve(this.#write(this.begun.relay.ping())).catch(() => {});
    }
    if (!this.call.hold.stored || now - this.#lastProgressMs < progressEveryMs) return;
    this.#lastProgressMs = now;
    const usage = { promptTokens: estimatePrompt(this.conversation), completionTokens: this.begun.output.roughly() };
    const cost = priceOf(this.begun.attempt.candidate.price, usage);
    this.deps.billing.progress(this.call.hold, cost, usage, this.errand.endpoint);
  }
}
