import { insufficientUserQuota } from '../../billing/insufficient-quota.ts';
import type { Hold, UsageStatus } from '../../billing/types.ts';
import { requestId } from '../../lib/ids.ts';
import { costAtMost, isFree, type Usage } from '../../lib/money.ts';
import type { Candidate } from '../../routing/candidate.ts';
import { priceIn, priceOf, settle, settlementOf } from '../bill.ts';
import { tellDisbelief } from '../count-usage.ts';
import type { RelayDeps, RequestContext } from '../deps.ts';
import { isPlausible, plausibleUsage } from '../plausible-usage.ts';
import { asks, boundsOf, mostOf } from './bounds.ts';
import { type ConversationMeter, Produced } from './meter.ts';

/** How many that are over are remembered: whoever is told of one twice pays once. */
const mostOver = 100;

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
 * asked, so that one hold is kept for whatever comes next, and one for each that was asked for; the first has the session's
 * own name, and the others name it.
 */
export class Turns {
  readonly #reserves: Reserve[];
  /** Responses that were asked for and have not begun. */
  #asked = 0;
  readonly #running = new Map<string, Turn>();
  readonly #over = new Set<string>();
  #ended = false;
  /** Client and upstream are served at the same time: who holds and gives back does so one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    readonly deps: RelayDeps,
    readonly about: TurnsOf,
    first: Hold,
  ) {
    this.#reserves = [{ context: about.context, hold: first }];
  }

  get running(): number {
    return this.#running.size;
  }

  /** The client asks for a response. */
  ask(): void {
    this.#asked += 1;
  }

  /** A response began, or there will be none. */
  answer(): void {
    this.#asked = Math.max(0, this.#asked - 1);
  }

  /** Whether what the upstream may begin with is held for; what we do not see of a prompt is room to grow. */
  get isCovered(): boolean {
    const needed = this.#needed(0);
    return this.#reserves.length >= this.#wanted && this.#reserves.every(({ hold }) => hold.amount >= needed);
  }

  /** Holds for all that the upstream may begin with. Throws where money or limits are at an end. */
  cover(): Promise<void> {
    return this.#inTurn(() => this.#cover());
  }

  /** Throws where money or limits are at an end. */
  async begin(responseId: string): Promise<void> {
    if (this.#isKnown(responseId)) return;
    this.answer();
    return this.#inTurn(() => this.#begin(responseId));
  }

  produced(responseId: string, delta: string, isSound: boolean): void {
    if (this.#over.has(responseId)) return;
    const turn = this.#running.get(responseId) ?? this.#start(responseId);
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
  done(responseId: string, reported: Usage | undefined, status: UsageStatus): Promise<void> {
    return this.#inTurn(() => this.#done(responseId, reported, status));
  }

  async #done(responseId: string, reported: Usage | undefined, status: UsageStatus): Promise<void> {
    await this.#begin(responseId);
    const turn = this.#running.get(responseId);
    if (!turn) return;
    this.#running.delete(responseId);
    this.#remember(responseId);
    const usage = this.#believed(turn, reported, status);
    if (usage) {
      this.about.meter.counted(usage);
      await this.#charge(turn, usage, status);
    } else await this.deps.billing.release(turn.hold);
    await this.#cover();
  }

  #remember(responseId: string): void {
    // Without a name they cannot be told apart.
    if (responseId === '') return;
    this.#over.add(responseId);
    const [oldest] = this.#over;
    if (this.#over.size > mostOver) this.#over.delete(oldest!);
  }

  /** A transcript is charged when it is there. Throws where not all of it could be paid, or there is nothing for the next. */
  transcribed(transcript: Transcript): Promise<void> {
    return this.#inTurn(() => this.#transcribed(transcript, 'ok'));
  }

  async #transcribed(transcript: Transcript, status: UsageStatus): Promise<void> {
    const { deps } = this;
    const { context, hold } = await this.#forTranscript(transcript);
    const bill = { ...transcript, status, stream: true, startedMs: deps.clock.steadyMs() };
    if (transcript.candidate === this.about.candidate) this.about.used(transcript.usage);
    const { shortfall } = await deps.billing.settle(hold, settlementOf(deps, context, bill));
    if (shortfall > 0) throw insufficientUserQuota(false);
    await this.#cover();
  }

  /** In a session of nothing else they are what is held for; in others they come beside the responses. */
  async #forTranscript({ candidate }: Transcript): Promise<Reserve> {
    const reserve = this.about.candidate.type === 'transcription' ? this.#reserves.shift() : undefined;
    if (reserve) return reserve;
    const context = this.#named();
    return { context, hold: await this.#hold(context, candidate.modelId, 0) };
  }

  /** The session is over: what was produced is charged, and what was only held goes back. */
  async end(status: UsageStatus, unfinished: readonly Transcript[]): Promise<void> {
    this.#ended = true;
    const transcripts = unfinished.map((transcript) => this.#transcribed(transcript, status));
    const turns = [...this.#running.values()];
    this.#running.clear();
    const reserves = this.#reserves.splice(0);
    const ended = turns.map((turn) =>
      turn.produced.isNothing
        ? this.deps.billing.release(turn.hold)
        : this.#charge(turn, this.#estimated(turn), status),
    );
    await Promise.all([...ended, ...transcripts, ...reserves.map(({ hold }) => this.deps.billing.release(hold))]);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  #isKnown(responseId: string): boolean {
    return this.#running.has(responseId) || this.#over.has(responseId);
  }

  async #begin(responseId: string): Promise<void> {
    if (this.#isKnown(responseId)) return;
    await this.#cover(this.#needed());
    this.#start(responseId);
  }

  #start(responseId: string): Turn | undefined {
    const reserve = this.#reserves.shift();
    if (!reserve) return undefined;
    const turn = { ...reserve, startedMs: this.deps.clock.steadyMs(), produced: new Produced() };
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
  get #wanted(): number {
    return Math.max(1, this.#asked);
  }

  /** Where the conversation has become longer than was thought, more is put aside, under the same name. */
  async #cover(enough = this.#needed(0)): Promise<void> {
    for (const small of this.#reserves.filter(({ hold }) => hold.amount < enough)) {
      const at = this.#reserves.indexOf(small);
      // A response may have begun with it meanwhile.
      if (at === -1) continue;
      this.#reserves.splice(at, 1);
      await this.deps.billing.release(small.hold);
      const hold = await this.#hold(small.context, this.about.modelId, this.#needed());
      await this.#keep({ ...small, hold }, at);
    }
    while (this.#reserves.length < this.#wanted && !this.#ended) await this.#keep(await this.#reserve());
  }

  /** A session that has ended meanwhile needs nothing any more. */
  async #keep(reserve: Reserve, at = this.#reserves.length): Promise<void> {
    if (this.#ended) await this.deps.billing.release(reserve.hold);
    else this.#reserves.splice(at, 0, reserve);
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

  #needed(unseen?: number): number {
    const { candidate, context, meter } = this.about;
    const price = priceIn(context, candidate);
    return isFree(price) ? 0 : costAtMost(price, mostOf(candidate, meter.tokens, unseen), asks);
  }
}
