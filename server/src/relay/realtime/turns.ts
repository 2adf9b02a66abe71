import { insufficientUserQuota } from '../../billing/insufficient-quota.ts';
import type { Hold, UsageStatus } from '../../billing/types.ts';
import { requestId } from '../../lib/ids.ts';
import { costAtMost, isFree, type Price, type Usage } from '../../lib/money.ts';
import type { Candidate } from '../../routing/candidate.ts';
import { effectivePrice, priceOf, settle, settlementOf } from '../charge.ts';
import { logImplausibleUsage } from '../count-usage.ts';
import type { RelayDeps, RequestContext } from '../deps.ts';
import { isPlausible, plausibleUsage } from '../plausible-usage.ts';
import { asks, boundsOf, mostHeard, mostOf } from './bounds.ts';
import { type ConversationMeter, Produced } from './meter.ts';
import { Over } from './over.ts';
import type { Transcript } from './transcript.ts';

/** Money held for a response, under the id of its usage row. */
interface Reserve {
  context: RequestContext;
  hold: Hold;
}

interface Turn extends Reserve {
  startedMs: number;
  firstMs?: number;
  produced: Produced;
}

interface TurnsOf {
  context: RequestContext;
  candidate: Candidate;
  modelId: string;
  /** All names of the model. */
  names: readonly string[];
  /** By upstream name; in conversations, the models that also transcribe the input. */
  transcribers: ReadonlyMap<string, Candidate>;
  meter: ConversationMeter;
  /** Called for each response and transcript, with the price it has at the vendor. */
  used(usage: Usage, price: Price): void;
}

/**
 * The responses of a session, each held for before it starts and charged separately. A session may respond unasked, so
 * one hold is kept for the next response, plus one for each requested one; the first uses the session's own id, and the
 * others refer to it.
 */
export class Turns {
  readonly #reserves: Reserve[];
  /** Requested responses that have not started. */
  #asked = 0;
  readonly #running = new Map<string, Turn>();
  readonly #over = new Over();
  #ended = false;
  /** Serializes holding and releasing, since both sides of the session run concurrently. */
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

  /** The client requests a response. */
  ask(): void {
    this.#asked += 1;
  }

  /** A response started, or there will be none. */
  answer(): void {
    this.#asked = Math.max(0, this.#asked - 1);
  }

  /** Whether the next responses are held for; the unseen part of a prompt leaves room to grow. */
  get isCovered(): boolean {
    const needed = this.#needed(false);
    return this.#reserves.length >= this.#wanted && this.#reserves.every(({ hold }) => hold.amount >= needed);
  }

  /** Holds for everything the upstream may start. Throws if money or limits are exhausted. */
  cover(): Promise<void> {
    return this.#inTurn(() => this.#cover());
  }

  /** Throws if money or limits are exhausted. */
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
    const cost = priceOf(effectivePrice(turn.context, about.candidate), usage);
    deps.billing.progress(turn.hold, cost, usage, turn.context.endpoint);
  }

  /**
   * A response ended. Resolves when it is charged and the next is held for; throws if there is nothing left to hold.
   */
  done(responseId: string, reported: Usage | undefined, status: UsageStatus): Promise<void> {
    return this.#inTurn(() => this.#done(responseId, reported, status));
  }

  async #done(responseId: string, reported: Usage | undefined, status: UsageStatus): Promise<void> {
    await this.#begin(responseId);
    const turn = this.#running.get(responseId);
    if (!turn) return;
    this.#running.delete(responseId);
    this.#over.add(responseId);
    const usage = this.#believed(turn, reported, status);
    if (usage) {
      this.about.meter.counted(usage);
      await this.#charge(turn, usage, status);
    } else await this.deps.billing.release(turn.hold);
    await this.#cover();
  }

  /**
   * A transcript is charged when it arrives. Throws if it could not be paid in full, or nothing is left for the next.
   */
  transcribed(transcript: Transcript): Promise<void> {
    return this.#inTurn(() => this.#transcribed(transcript, 'ok'));
  }

  async #transcribed(transcript: Transcript, status: UsageStatus): Promise<void> {
    const { deps, about } = this;
    const reserve = this.#reserves.shift();
    const { context, hold } = await this.#forTranscript(transcript, reserve);
    const { candidate, usage, item } = transcript;
    const bill = { candidate, usage, status, stream: true, startedMs: deps.clock.steadyMs() };
    about.used(usage, candidate.price);
    const { shortfall } = await deps.billing.settle(hold, settlementOf(deps, context, bill));
    if (shortfall > 0) throw insufficientUserQuota(false);
    // Not before it is paid: until then the hold is for this sound, and covers no other.
    about.meter.hearing.transcribed(item, (usage.units ?? 0) * 60);
    if (reserve && hold !== reserve.hold && !this.#ended) await this.#holdAgain(reserve, 0);
    await this.#cover();
  }

  /**
   * Transcription sessions hold for transcripts. In others they have rows of their own, paid from what is held for the
   * session: it includes their sound.
   */
  async #forTranscript({ candidate }: Transcript, reserve: Reserve | undefined): Promise<Reserve> {
    if (reserve && this.about.candidate.type === 'transcription') return reserve;
    if (reserve) await this.deps.billing.release(reserve.hold);
    const context = this.#named();
    return { context, hold: await this.#hold(context, candidate.modelId, 0) };
  }

  /** The session is over: what was produced is charged, and other holds are released. */
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
   * The upstream's usage if plausible, else ours; zero if nothing was produced. A response stopped before its first
   * output has read its prompt, if the upstream counts it.
   */
  #believed(turn: Turn, reported: Usage | undefined, status: UsageStatus): Usage | null {
    const isNothing = turn.produced.isNothing && !reported?.completionTokens;
    if (isNothing && (status === 'error' || !reported?.promptTokens)) return null;
    const bounds = boundsOf(this.about.candidate);
    const believed = plausibleUsage(reported, bounds, !isNothing);
    if (isNothing) return believed ?? null;
    if (believed) return believed;
    const counted = this.#estimated(turn);
    if (reported) logImplausibleUsage(this.deps, turn.context, reported, counted);
    const { promptTokens } = isPlausible(reported?.promptTokens, bounds.promptTokens) ? reported! : counted;
    return { ...counted, promptTokens };
  }

  async #charge(turn: Turn, usage: Usage, status: UsageStatus): Promise<void> {
    const { deps, about } = this;
    const { context, hold, startedMs, firstMs } = turn;
    about.used(usage, about.candidate.price);
    await settle(deps, context, hold, {
      ...{ candidate: about.candidate, usage, status, stream: true, startedMs },
      ...(firstMs !== undefined && { firstTokenMs: firstMs }),
    });
  }

  /** One hold for the next response, plus one per requested one. */
  get #wanted(): number {
    return Math.max(1, this.#asked);
  }

  /** If the conversation grew beyond the estimate, more is held under the same id. */
  async #cover(enough = this.#needed(false)): Promise<void> {
    for (const small of this.#reserves.filter(({ hold }) => hold.amount < enough)) {
      const at = this.#reserves.indexOf(small);
      // A response may have started with it meanwhile.
      if (at === -1) continue;
      this.#reserves.splice(at, 1);
      await this.deps.billing.release(small.hold);
      await this.#holdAgain(small, at);
    }
    while (this.#reserves.length < this.#wanted && !this.#ended) await this.#keep(await this.#reserve());
  }

  async #holdAgain(released: Reserve, at: number): Promise<void> {
    const hold = await this.#hold(released.context, this.about.modelId, this.#needed());
    await this.#keep({ ...released, hold }, at);
  }

  /** A session that ended meanwhile needs no hold. */
  async #keep(reserve: Reserve, at = this.#reserves.length): Promise<void> {
    if (this.#ended) await this.deps.billing.release(reserve.hold);
    else this.#reserves.splice(at, 0, reserve);
  }

  /** Every response counts as a request for an organisation's limits. */
  async #reserve(): Promise<Reserve> {
    const { context, modelId, names } = this.about;
    const { keyId } = context.caller;
    if (keyId !== null) await this.deps.admit?.(keyId, names);
    const named = this.#named();
    return { context: named, hold: await this.#hold(named, modelId, this.#needed()) };
  }

  #named(): RequestContext {
    const { context } = this.about;
    // A derived context is one.
    return Object.create(context, {
      requestId: { value: requestId(), enumerable: true },
      parentRequestId: { value: context.requestId, enumerable: true },
    }) as RequestContext;
  }

  #hold({ requestId: name }: Pick<RequestContext, 'requestId'>, modelId: string, amount: number): Promise<Hold> {
    const { userId, keyId, keyUnlimited } = this.about.context.caller;
    return this.deps.billing.hold({ requestId: name, userId, keyId, keyUnlimited, amount, modelId });
  }

  #needed(hasMargin = true): number {
    const { candidate, transcribers, meter } = this.about;
    const next = this.#atMost(candidate, mostOf(candidate, meter, hasMargin));
    if (candidate.type === 'transcription') return next;
    // In a conversation, a transcriber hears the same sound.
    const heard = mostHeard(meter, hasMargin);
    return next + Math.max(0, ...transcribers.values().map((transcriber) => this.#atMost(transcriber, heard)));
  }

  #atMost(candidate: Candidate, usage: Usage): number {
    const price = effectivePrice(this.about.context, candidate);
    return isFree(price) ? 0 : costAtMost(price, usage, asks);
  }
}
