import type { UsageStatus } from '../billing/types.ts';
import type { ByteSource } from '../lib/byte-source.ts';
import type { Usage } from '../lib/money.ts';
import { readRefusalText } from '../platform/upstream/source.ts';
import type { Candidate } from '../routing/candidate.ts';
import type { Cause } from '../routing/decision.ts';
import type { Attempt } from '../routing/plan.ts';
import { ChatEstimate, chargeBill, settlementOf, withRequestPrice } from './charge.ts';
import { fitsWindow } from './context-window.ts';
import { NamedConversation } from './conversation-name.ts';
import { countUsage } from './count-usage.ts';
import type { RelayDeps, RequestContext } from './deps.ts';
import { type ChatCall, DispatchFault, dispatchChat, headOf, targetOf } from './dispatch.ts';
import { inlineImages } from './inline-images.ts';
import { type OpenCall, openCall } from './open-call.ts';
import { ContinuedSource, mayPause } from './paused-turns.ts';
import { type Bounds, boundsWith, plausibleUsage } from './plausible-usage.ts';
import { type Prompt, promptOf } from './prompt.ts';
import { providerKindFor } from './provider-kind-for.ts';
import type { ProviderKind, UpstreamRequest } from './providers/kind.ts';
import { refuseStored } from './stored-content.ts';
import { prefersSupported } from './supported-parameters.ts';
import { withFittingNames } from './tool-names.ts';
import { tryCandidates } from './try-candidates.ts';
import { tryModels } from './try-models.ts';
import { forCandidate, leavesSearchOut, prefersSearch, searchLeftOut } from './web-search.ts';
import { type Conversation, UpstreamFault } from './wire/conversation.ts';
import type { AnswerSummary } from './wire/watch.ts';

/** How an answer is read and delivered: everything in which whole and streamed answers differ. */
export interface Delivery<R extends ReadAnswer, T> {
  /** Reads until there is something to deliver. A failure before that point moves on to the next candidate. */
  read(asked: Asked, body: ByteSource, kind: ProviderKind, sent: ChatCall, candidate: Candidate): R | Promise<R>;
  /** Delivers the answer under the model name the client asked for, and settles the charge. */
  handOn(answer: ChatAnswer<R>, model: string): T | Promise<T>;
}

/** The part of an answer that has been read so far. */
export interface ReadAnswer {
  readonly streamed: boolean;
  readonly firstTokenMs?: number;
  summary(): AnswerSummary;
  /** Counted with our tokenizer, for upstreams that report no usage. */
  countOutput(): Promise<number>;
  /**
   * The upstream's usage is not what is charged, so it must not be what is shown. Returns what changes in the delivered
   * answer.
   */
  recount(usage: Usage): object | undefined;
}

export interface Asked {
  deps: RelayDeps;
  context: RequestContext;
  conversation: Conversation;
  prompt: Prompt;
}

/** One chat answer: for each model, place a hold, try the candidates in turn until one answers, deliver, settle. */
export function answerChat<R extends ReadAnswer, T>(
  deps: RelayDeps,
  given: RequestContext,
  conversation: Conversation,
  delivery: Delivery<R, T>,
): Promise<T> {
  const prompt = promptOf(conversation);
  const open = opening(deps, given, conversation, prompt);
  return tryModels(deps, given, conversation.model, async (context, { name, shown }) => {
    const call = await open(context, name);
    const told = shown === conversation.model ? conversation : { ...conversation, model: shown };
    const asked = { deps, context, conversation: told, prompt };
    const answer = await tryCandidates(deps, context, call, (attempt) => ask(asked, call, delivery, attempt));
    // Awaited here: returning the promise would allocate one more and take another microtask turn.
    return await delivery.handOn(answer, shown);
  });
}

/**
 * For work that is queued: throws what `answerChat` would throw before it asks a model. Counts the request against the
 * limits of its key; the answer made later is `counted`.
 */
export function requireAnswerable(deps: RelayDeps, given: RequestContext, conversation: Conversation): Promise<void> {
  const trial: RequestContext = Object.create(given, { trial: { value: true, enumerable: true } });
  const open = opening(deps, trial, conversation, promptOf(conversation));
  return tryModels(deps, trial, conversation.model, async (context, { name }) => (await open(context, name)).giveUp());
}

/** Plans for one of the models and places the hold. */
function opening(deps: RelayDeps, given: RequestContext, conversation: Conversation, prompt: Prompt) {
  const named = new NamedConversation(given, conversation);
  const fits = fitsWindow(prompt);
  const suits = suitsOf(conversation);
  return (context: RequestContext, name: string): Promise<OpenCall> =>
    openCall(deps, context, name, 'chat', new ChatEstimate(prompt), fits, named, suits);
}

/** Prefers candidates that honour what the request asks for but not every upstream supports. */
function suitsOf(conversation: Conversation): Judge | undefined {
  const heeds = prefersSupported(conversation.params);
  const searches = prefersSearch(conversation);
  return heeds && searches ? both(heeds, searches) : (heeds ?? searches);
}

type Judge = (candidate: Candidate) => boolean;

const both =
  (one: Judge, other: Judge): Judge =>
  (candidate) =>
    one(candidate) && other(candidate);

export async function ask<R extends ReadAnswer>(
  asked: Asked,
  call: OpenCall,
  delivery: Delivery<R, unknown>,
  attempt: Attempt,
): Promise<ChatAnswer<R>> {
  const { deps, context, conversation, prompt } = asked;
  refuseStored(attempt.candidate, conversation);
  const plainKind = providerKindFor(attempt.candidate, conversation);
  const fitting = withFittingNames(plainKind, forCandidate(attempt.candidate, conversation, plainKind));
  const { kind, conversation: asking } = fitting;
  const target = targetOf(attempt.candidate, context);
  const inlined = inlineImages(kind, asking, deps.allowPrivateAddresses, context, target);
  const given = inlined instanceof Promise ? await inlined : inlined;
  const request = kind.toUpstream(given, target);
  const sent = dispatchChat(deps, attempt, request, context, conversation.stream);
  try {
    const begun = sent.answer(await sent.head());
    const { status, body } = begun;
    if (status < 200 || status > 299)
      throw new UpstreamFault(kind.errorOf(status, begun.headers, await readRefusalText(body)));
    const { stream } = conversation;
    const received = mayPause(kind, given)
      ? continued(body, request, stream, attempt, sent)
      : (kind.received?.(body, stream) ?? body);
    const reading = delivery.read(asked, received, kind, sent, attempt.candidate);
    const read = reading instanceof Promise ? await reading : reading;
    if (leavesSearchOut(conversation, given)) context.tell?.(...searchLeftOut);
    // Chat upstreams that search because of a setting always search, but do not report how often.
    const least = kind.wire === 'chat' && given.params.webSearch ? 1 : 0;
    return new ChatAnswer(deps, context, call, prompt, attempt, sent, read, least);
  } catch (error) {
    sent.done();
    sent.abort();
    throw error instanceof UpstreamFault || error instanceof DispatchFault ? error : sent.fault(error);
  }
}

const continued = (body: ByteSource, request: UpstreamRequest, stream: boolean, attempt: Attempt, sent: ChatCall) =>
  new ContinuedSource(body, request, stream, async (again) => sent.answer(await headOf(attempt, again, stream, sent)));

function withSearches(usage: Usage, searches: number): Usage {
  if (searches === 0 && usage.searches === undefined) return usage;
  const { searches: _, ...others } = usage;
  return searches > 0 ? { ...others, searches } : others;
}

/** How an answer ended, as billing and routing see it. */
export interface End {
  status: UsageStatus;
  outcome: 'success' | 'failure' | 'neutral';
  cause?: Cause;
}

export const successfulEnd: End = { status: 'ok', outcome: 'success' };

export interface Settled {
  summary: AnswerSummary;
  usage: Usage;
  /** The amount charged, in quota. */
  cost: number;
}

interface Counted extends Omit<Settled, 'cost'> {
  /** As the upstream reported it. */
  asReported: boolean;
}

/**
 * An answer that has started. It keeps only the prompt of the request, so that images are not held in memory while a
 * stream is open.
 */
export class ChatAnswer<R extends ReadAnswer> {
  constructor(
    readonly deps: RelayDeps,
    readonly context: RequestContext,
    readonly call: OpenCall,
    readonly prompt: Prompt,
    readonly attempt: Attempt,
    readonly sent: ChatCall,
    readonly read: R,
    /** Searches to charge at least: every answer of this upstream uses them, whether or not it reports them. */
    readonly leastSearches: number,
  ) {}

  get candidate(): Candidate {
    return this.attempt.candidate;
  }

  /** The model's public name. */
  get modelId(): string {
    return this.call.modelId;
  }

  /**
   * Reports the outcome to routing and charges the usage; an answer without output costs nothing. Adds the result to
   * `told`.
   */
  async settle<T extends object>(end: End, told = {} as T): Promise<T & Settled> {
    const { deps, context, call, candidate, read } = this;
    try {
      const counting = this.counted();
      const { summary, usage, asReported } = counting instanceof Promise ? await counting : counting;
      this.#report(end, summary, usage);
      if (!summary.hasOutput) {
        await deps.billing.release(call.hold);
        return Object.assign(told, { summary, usage, cost: 0 });
      }
      const settlement = settlementOf(deps, context, {
        candidate,
        usage: withRequestPrice(candidate.price, usage),
        status: end.status,
        stream: read.streamed,
        startedMs: this.sent.startedMs,
        firstTokenMs: read.firstTokenMs,
      });
      await chargeBill(deps, context, call.hold, settlement);
      if (!asReported) Object.assign(told, read.recount(usage));
      return Object.assign(told, { summary, usage, cost: settlement.cost });
    } finally {
      call.plan.close();
    }
  }

  /** The answer's summary and usage: the upstream's own count if it is plausible. */
  counted(): Counted | Promise<Counted> {
    const summary = this.read.summary();
    const searches = this.#searchesIn(summary);
    const bounds = boundsWith(this.prompt.believed(this.candidate), searches);
    const told = summary.usageIsFinal ? plausibleUsage(summary.usage, bounds, summary.hasOutput) : undefined;
    if (!told) return this.#count(summary, bounds, searches);
    return { summary, usage: withSearches(told, searches), asReported: told === summary.usage };
  }

  /**
   * As reported by the vendor, else as seen in the answer; at least `leastSearches` if the upstream always searches.
   */
  #searchesIn({ usage, searches, hasOutput }: AnswerSummary): number {
    if (!hasOutput) return 0;
    const { webSearch } = this.prompt.params;
    const least = webSearch && !webSearch.offered ? this.leastSearches : 0;
    return Math.min(Math.max(usage?.searches ?? searches, least), this.prompt.believedSearches(this.candidate));
  }

  async #count(summary: AnswerSummary, bounds: Bounds, searches: number): Promise<Counted> {
    const usage = summary.hasOutput
      ? await countUsage(this.deps, this.context, summary, bounds, this.prompt, this.read)
      : { promptTokens: 0, completionTokens: 0 };
    return { summary, usage: withSearches(usage, searches), asReported: false };
  }

  #report({ outcome, cause }: End, summary: AnswerSummary, usage: Usage): void {
    this.attempt.report({
      outcome,
      cause,
      latencyMs: this.deps.clock.steadyMs() - this.sent.startedMs,
      ttftMs: this.read.firstTokenMs,
      promptTokens: usage.promptTokens,
      completionTokens: usage.completionTokens,
      usage: withRequestPrice(this.candidate.price, usage),
      wellFormed: summary.complete,
      nonEmpty: summary.hasOutput,
      validStructured: summary.wellFormed,
    });
  }
}
