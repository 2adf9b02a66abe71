import { userShort } from '../../billing/short.ts';
import type { Hold, UsageStatus } from '../../billing/types.ts';
import { requestId } from '../../lib/ids.ts';
import { costAtMost, isFree, type Usage } from '../../lib/money.ts';
import type { Candidate } from '../../routing/candidate.ts';
import { priceIn, priceOf, settle, settlementOf } from '../bill.ts';
import { tellDisbelief } from '../count-usage.ts';
import type { RelayDeps, RequestContext } from '../deps.ts';
import { type Bounds, isPlausible, plausibleUsage } from '../plausible-usage.ts';
import { assumedOutputTokens } from '../providers/kind.ts';
import { type ConversationMeter, Produced } from './meter.ts';
import { mostOfTranscript } from './transcript.ts';

/** Where a model does not say how much it reads. */
const assumedContext = 32_000;
/** What we do not see of a prompt, and by how much a count may differ from ours. */
const unseenTokens = 1_000;
const otherCount = 1.25;

export const boundsOf = ({ contextLength, maxOutputTokens }: Candidate): Bounds => ({
  promptTokens: contextLength || assumedContext,
  completionTokens: maxOutputTokens || assumedOutputTokens,
});

/** The most that the next response can use, of a conversation of this length, or the next transcript. */
export function mostOf(candidate: Candidate, conversationTokens: number): Usage {
  if (candidate.type === 'transcription') return mostOfTranscript();
  const { promptTokens, completionTokens } = boundsOf(candidate);
  const expected = Math.ceil(conversationTokens * otherCount) + unseenTokens;
  return { promptTokens: Math.min(promptTokens, expected), completionTokens };
}

/** How many that are over are remembered: whoever is told of one twice pays once. */
const mostOver = 100;

/** Sessions hear and speak, whatever they began with. */
export const asks = { hasAudio: true, hasImages: true };

/** Money put aside for a response, under the name that its row will have. */
interface Reserve {
  context: RequestContext;
  hold: Hold;
}

interface Turn extends Reserve {
  startedMs: number;
  firstMs?: number;
  produced: Produced;
}

export interface Transcript {
  candidate: Candidate;
  usage: Usage;
}

interface TurnsOf {
  context: RequestContext;
  candidate: Candidate;
  modelId: string;
  /** All that the model is asked by. */
  names: readonly string[];
  meter: ConversationMeter;
  /** Told of each response that was counted. */
  used(usage: Usage): void;
}

/**
 * The responses of a session, each held for before it begins and charged for by itself. A session may answer without being
 * asked, so that one hold is kept for whatever comes next; the first has the session's own name, and the others name it.
 */
export class Turns {
  #next: Reserve | null;
  readonly #running = new Map<string, Turn>();
  readonly #over = new Set<string>();
  #ended = false;

  constructor(
    readonly deps: RelayDeps,
    readonly about: TurnsOf,
    first: Hold,
  ) {
    this.#next = { context: about.context, hold: first };
  }

  get running(): number {
    return this.#running.size;
  }

  /** Throws where money or limits are at an end. */
  async begin(responseId: string): Promise<void> {
    if (this.#running.has(responseId) || this.#over.has(responseId)) return;
    const next = this.#next;
    // The conversation has become longer than was thought: more is put aside, under the same name.
    if (next && next.hold.amount < this.#needed()) {
      this.#next = null;
      await this.deps.billing.release(next.hold);
      await this.#keep({ ...next, hold: await this.#hold(next.context, this.about.modelId, this.#needed()) });
    }
    await this.#provide();
    if (this.#next) this.#start(responseId);
  }

  produced(responseId: string, delta: string, isSound: boolean): void {
    if (this.#over.has(responseId)) return;
    const turn = this.#running.get(responseId) ?? (this.#next && this.#start(responseId));
    if (!turn) return;
    const { deps, about } = this;
    turn.firstMs ??= deps.clock.steadyMs() - turn.startedMs;
    if (isSound) turn.produced.addSound(delta, about.meter.outputBytesPerSecond);
    else turn.produced.addText(delta);
    const usage = this.#estimated(turn);
    const cost = priceOf(priceIn(turn.context, about.candidate), usage);
    deps.billing.progress(turn.hold, cost, usage, turn.context.endpoint);
  }

  /** A response ended. Resolves when it is charged, and the next one is held for; throws where there is nothing to hold. */
  async done(responseId: string, reported: Usage | undefined, status: UsageStatus): Promise<void> {
    await this.begin(responseId);
    const turn = this.#running.get(responseId);
    if (!turn) return;
    this.#running.delete(responseId);
    this.#remember(responseId);
    const usage = this.#believed(turn, reported, status);
    if (usage) {
      this.about.meter.counted(usage);
      await this.#charge(turn, usage, status);
    } else await this.deps.billing.release(turn.hold);
    await this.#provide();
  }

  #remember(responseId: string): void {
    // Without a name they cannot be told apart.
    if (responseId === '') return;
    this.#over.add(responseId);
    const [oldest] = this.#over;
    if (this.#over.size > mostOver) this.#over.delete(oldest!);
  }

  /** A transcript is charged when it is there. Throws where not all of it could be paid, or there is nothing for the next. */
  async transcribed(transcript: Transcript, status: UsageStatus = 'ok'): Promise<void> {
    const { deps } = this;
    const { context, hold } = await this.#forTranscript(transcript);
    const bill = { ...transcript, status, stream: true, startedMs: deps.clock.steadyMs() };
    if (transcript.candidate === this.about.candidate) this.about.used(transcript.usage);
    const { shortfall } = await deps.billing.settle(hold, settlementOf(deps, context, bill));
    if (shortfall > 0) throw userShort(false);
    await this.#provide();
  }

  /** In a session of nothing else they are what is held for; in others they come beside the responses. */
  async #forTranscript({ candidate }: Transcript): Promise<Reserve> {
    const next = this.#next;
    if (next && this.about.candidate.type === 'transcription') {
      this.#next = null;
      return next;
    }
    const context = this.#named();
    return { context, hold: await this.#hold(context, candidate.modelId, 0) };
  }

  /** The session is over: what was produced is charged, and what was only held goes back. */
  async end(status: UsageStatus, unfinished: readonly Transcript[]): Promise<void> {
    this.#ended = true;
    const transcripts = unfinished.map((transcript) => this.transcribed(transcript, status));
    const turns = [...this.#running.values()];
    this.#running.clear();
    const next = this.#next;
    this.#next = null;
    const ended = turns.map((turn) =>
      turn.produced.isNothing
        ? this.deps.billing.release(turn.hold)
        : this.#charge(turn, this.#estimated(turn), status),
    );
    await Promise.all([...ended, ...transcripts, next && this.deps.billing.release(next.hold)]);
  }

  #start(responseId: string): Turn {
    const turn = { ...this.#next!, startedMs: this.deps.clock.steadyMs(), produced: new Produced() };
    this.#next = null;
    this.#running.set(responseId, turn);
    return turn;
  }

  #estimated({ produced }: Turn): Usage {
    return produced.usage(Math.min(this.about.meter.tokens, boundsOf(this.about.candidate).promptTokens));
  }

  /**
   * The upstream's count where it can be true, else ours; nothing where there was nothing. One that was stopped before it
   * said something has read its prompt all the same, where the upstream counts it.
   */
  #believed(turn: Turn, reported: Usage | undefined, status: UsageStatus): Usage | null {
    const isNothing = turn.produced.isNothing && !reported?.completionTokens;
    if (isNothing && (status === 'error' || !reported?.promptTokens)) return null;
    const bounds = boundsOf(this.about.candidate);
    const believed = plausibleUsage(reported, bounds, !isNothing);
    if (isNothing) return believed ?? null;
    if (believed) return believed;
    const counted = this.#estimated(turn);
    if (reported) tellDisbelief(this.deps, turn.context, reported, counted);
    const { promptTokens } = isPlausible(reported?.promptTokens, bounds.promptTokens) ? reported! : counted;
    return { ...counted, promptTokens };
  }

  async #charge(turn: Turn, usage: Usage, status: UsageStatus): Promise<void> {
    const { deps, about } = this;
    const { context, hold, startedMs, firstMs } = turn;
    about.used(usage);
    await settle(deps, context, hold, {
      ...{ candidate: about.candidate, usage, status, stream: true, startedMs },
      ...(firstMs !== undefined && { firstTokenMs: firstMs }),
    });
  }

  /** Something is held for whatever comes next. */
  async #provide(): Promise<void> {
    if (!this.#next && !this.#ended) await this.#keep(await this.#reserve());
  }

  /** A session that has ended meanwhile needs nothing any more. */
  async #keep(reserve: Reserve): Promise<void> {
    if (this.#ended) await this.deps.billing.release(reserve.hold);
    else this.#next = reserve;
  }

  /** Every response counts as a request where an organisation counts them. */
  async #reserve(): Promise<Reserve> {
    const { context, modelId, names } = this.about;
    const { keyId } = context.caller;
    if (keyId !== null) await this.deps.admit?.(keyId, names);
    const named = this.#named();
    return { context: named, hold: await this.#hold(named, modelId, this.#needed()) };
  }

  #named(): RequestContext {
    const { context } = this.about;
    // What is made of a context is one.
    return Object.create(context, {
      requestId: { value: requestId(), enumerable: true },
      parentRequestId: { value: context.requestId, enumerable: true },
    }) as RequestContext;
  }

  #hold({ requestId: name }: Pick<RequestContext, 'requestId'>, modelId: string, amount: number): Promise<Hold> {
    const { userId, keyId, keyUnlimited } = this.about.context.caller;
    return this.deps.billing.hold({ requestId: name, userId, keyId, keyUnlimited, amount, modelId });
  }

  #needed(): number {
    const { candidate, context, meter } = this.about;
    const price = priceIn(context, candidate);
    return isFree(price) ? 0 : costAtMost(price, mostOf(candidate, meter.tokens), asks);
  }
}
