import type { UsageStatus } from '../../billing/types.ts';
import type { Usage } from '../../lib/money.ts';
import type { Attempt } from '../../routing/plan.ts';
import { settle } from '../charge.ts';
import type { RelayDeps, RequestContext } from '../deps.ts';
import type { Dispatch } from '../dispatch.ts';
import type { OpenCall } from '../open-call.ts';
import { isStopping } from '../stopping.ts';
import { noteProgress } from './note-progress.ts';

/** A client that reads nothing for this long is considered gone. */
const mostPauseMs = 600_000;

/** Audio whose first bytes have arrived. */
export interface Begun {
  attempt: Attempt;
  sent: Dispatch;
  reader: ReadableStreamDefaultReader<Uint8Array>;
  first: Uint8Array;
  firstByteMs: number;
}

interface Meter {
  add(chunk: Uint8Array): void;
  /** Usage of what was produced so far. */
  usage(): Promise<Usage>;
}

/** Held back of every chunk, so that the last bytes are still here when the audio ends. */
const tailBytes = 16;

/**
 * Forwards audio at the client's pace, a few bytes behind: the last ones are sent after the whole was charged. A client
 * that disconnects ends the upstream call, and is charged for what was produced.
 */
export class SpeechPump {
  #first: Uint8Array | null;
  #tail: Uint8Array | null = null;
  #ended = false;
  readonly #leave = () => void this.#end('aborted');

  constructor(
    readonly deps: RelayDeps,
    readonly context: RequestContext,
    readonly call: OpenCall,
    readonly begun: Begun,
    readonly meter: Meter,
  ) {
    this.#first = begun.first;
    meter.add(begun.first);
    begun.sent.allowSilence(mostPauseMs);
    context.signal.addEventListener('abort', this.#leave, { once: true });
    // Also while waiting for the client: what was produced is charged before the process ends.
    const progress = noteProgress(deps, context, call, begun.attempt.candidate, () => meter.usage());
    begun.sent.onTick((now) => {
      if (isStopping(deps, context)) void this.#end('interrupted');
      else progress(now);
    });
  }

  stream(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>({
      pull: (controller) => this.#pull(controller),
      cancel: () => this.#end('aborted'),
    });
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const { sent } = this.begun;
    // Timed out while waiting for the client: the upstream was not silent.
    if (sent.timedOut()) await this.#end('aborted');
    sent.touch();
    sent.allowSilence(this.begun.attempt.candidate.channel.timeoutMs);
    try {
      // A pull without data would not be followed by another.
      while (!(await this.#pass(controller)));
    } catch (error) {
      const left = this.context.signal.aborted;
      await this.#end(left ? 'aborted' : 'interrupted');
      // An error instead of a short body: the client must see that the audio is incomplete.
      controller.error(left ? new Error('the client disconnected') : error);
    }
    sent.touch();
    sent.allowSilence(mostPauseMs);
  }

  /** Forwards a chunk without its tail, preceded by the previous tail; true if anything was sent. */
  async #pass(controller: ReadableStreamDefaultController<Uint8Array>): Promise<boolean> {
    const chunk = this.#first ?? (await this.#next());
    this.#first = null;
    if (chunk === null) await this.#end('ok');
    const given = [this.#tail, chunk?.subarray(0, -tailBytes)].filter((piece) => piece && piece.byteLength > 0);
    for (const piece of given) controller.enqueue(piece!);
    this.#tail = chunk?.subarray(-tailBytes) ?? null;
    if (chunk === null) controller.close();
    return chunk === null || given.length > 0;
  }

  async #next(): Promise<Uint8Array | null> {
    for (;;) {
      const { done, value } = await this.begun.reader.read();
      if (done) return null;
      this.meter.add(value);
      if (value.byteLength > 0) return value;
    }
  }

  async #end(status: UsageStatus): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    const { deps, context, call, begun } = this;
    const { attempt, sent, firstByteMs } = begun;
    context.signal.removeEventListener('abort', this.#leave);
    sent.done();
    if (status !== 'ok') sent.abort();
    const stopping = isStopping(deps, context);
    const usage = await this.meter.usage();
    attempt.report({
      outcome: status === 'ok' ? 'success' : status === 'aborted' || stopping ? 'neutral' : 'failure',
      latencyMs: deps.clock.steadyMs() - sent.startedMs,
      ttftMs: firstByteMs,
      promptTokens: usage.promptTokens,
      completionTokens: usage.completionTokens,
      usage,
      wellFormed: status === 'ok',
      nonEmpty: true,
      ...(status === 'aborted' && { cause: 'client_left' as const }),
      ...(status === 'interrupted' && { cause: stopping ? 'stopping' : sent.timedOut() ? 'timeout' : 'truncated' }),
    });
    call.plan.close();
    const { candidate } = attempt;
    const bill = { candidate, usage, status, stream: true, startedMs: sent.startedMs, firstTokenMs: firstByteMs };
    await settle(deps, context, call.hold, bill).catch((error) => {
      deps.log.error({ requestId: context.requestId, error }, 'could not charge for speech');
      if (status === 'ok') throw error;
    });
  }
}
