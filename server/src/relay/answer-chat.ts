import type { UsageStatus } from '../billing/types.ts';
import type { ByteSource } from '../lib/byte-source.ts';
import type { Usage } from '../lib/money.ts';
import { readRefusalText } from '../platform/upstream/source.ts';
import type { Candidate } from '../routing/candidate.ts';
import type { Cause } from '../routing/decision.ts';
import type { Attempt } from '../routing/plan.ts';
import { askInTurn } from './ask-in-turn.ts';
import { asRequest, ChatEstimate, pay, settlementOf } from './bill.ts';
import { NamedConversation } from './conversation-name.ts';
import { countUsage } from './count-usage.ts';
import type { RelayDeps, RequestContext } from './deps.ts';
import { type ChatCall, DispatchFault, dispatchChat, headOf, targetOf } from './dispatch.ts';
import { fitsPrompt } from './fits.ts';
import { ContinuedSource, mayPause } from './go-on.ts';
import { inlineImages } from './inline-images.ts';
import { kindFor } from './kind-for.ts';
import { type OpenCall, openCall } from './open-call.ts';
import { type Bounds, boundsWith, plausibleUsage } from './plausible-usage.ts';
import { type Prompt, promptOf } from './prompt.ts';
import type { ProviderKind, UpstreamRequest } from './providers/kind.ts';
import { heedsWishes } from './taken-parameters.ts';
import { withFittingNames } from './tool-names.ts';
import { tryCandidates } from './try-candidates.ts';
import { forCandidate, leavesSearchOut, prefersSearch, searchLeftOut } from './web-search.ts';
import { type Conversation, UpstreamFault } from './wire/conversation.ts';
import type { AnswerSummary } from './wire/watch.ts';

/** How an answer is read and handed on: all that a whole and a streamed one differ in. */
export interface Delivery<R extends ReadAnswer, T> {
  /** Reads until there is something to hand on. What goes wrong up to there leads to the next candidate. */
  read(asked: Asked, body: ByteSource, kind: ProviderKind, sent: ChatCall): R | Promise<R>;
  /** Hands on, under the name that was asked for, and settles. */
  handOn(answer: ChatAnswer<R>, model: string): T | Promise<T>;
}

/** What was read of an answer, as far as it has come. */
export interface ReadAnswer {
  readonly streamed: boolean;
  readonly firstTokenMs?: number;
  summary(): AnswerSummary;
  /** By tokenizer, for upstreams that do not count. */
  countOutput(): Promise<number>;
}

export interface Asked {
  deps: RelayDeps;
  context: RequestContext;
  conversation: Conversation;
  prompt: Prompt;
}

/** One chat answer: for each model, hold, ask the candidates in turn until one answers, hand on, settle. */
export function answerChat<R extends ReadAnswer, T>(
  deps: RelayDeps,
  given: RequestContext,
  conversation: Conversation,
  delivery: Delivery<R, T>,
): Promise<T> {
  const prompt = promptOf(conversation);
  const named = new NamedConversation(given, conversation);
  const fits = fitsPrompt(prompt);
  const suits = suitsOf(conversation);
  return askInTurn(deps, given, conversation.model, async (context, { name, shown }) => {
    const call = await openCall(deps, context, name, 'chat', new ChatEstimate(prompt), fits, named, suits);
    const told = shown === conversation.model ? conversation : { ...conversation, model: shown };
    const asked = { deps, context, conversation: told, prompt };
    const answer = await tryCandidates(deps, context, call, (attempt) => ask(asked, call, delivery, attempt));
    // Waited for: a promise that is returned costs one more, and a turn.
    return await delivery.handOn(answer, shown);
  });
}

/** What a request would like to have, as far as some candidates do not give it. */
function suitsOf(conversation: Conversation): Judge | undefined {
  const heeds = heedsWishes(conversation.params);
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
  const plainKind = kindFor(attempt.candidate, conversation);
  const fitting = withFittingNames(plainKind, forCandidate(attempt.candidate, conversation, plainKind));
  const { kind, conversation: asking } = fitting;
  const inlined = inlineImages(kind, asking, deps.allowPrivateAddresses, context);
  const given = inlined instanceof Promise ? await inlined : inlined;
  const request = kind.toUpstream(given, targetOf(attempt.candidate, context));
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
    const reading = delivery.read(asked, received, kind, sent);
    const read = reading instanceof Promise ? await reading : reading;
    if (leavesSearchOut(conversation, given)) context.tell?.(...searchLeftOut);
    // Chats that ask for a search by a setting are searched for, and tell nobody how often.
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

/** How an answer ended, for the bill and for routing. */
export interface End {
  status: UsageStatus;
  outcome: 'success' | 'failure' | 'neutral';
  cause?: Cause;
}

export const wellEnded: End = { status: 'ok', outcome: 'success' };

export interface Settled {
  summary: AnswerSummary;
  usage: Usage;
  /** Charged, in quota. */
  cost: number;
}

type Counted = Omit<Settled, 'cost'>;

/** An answer that has begun. It keeps nothing of the request but its prompt: pictures would stay as long as a stream is open. */
export class ChatAnswer<R extends ReadAnswer> {
  constructor(
    readonly deps: RelayDeps,
    readonly context: RequestContext,
    readonly call: OpenCall,
    readonly prompt: Prompt,
    readonly attempt: Attempt,
    readonly sent: ChatCall,
    readonly read: R,
    /** Searches that every answer of this upstream's rests on, counted or not. */
    readonly leastSearches: number,
  ) {}

  get candidate(): Candidate {
    return this.attempt.candidate;
  }

  /** Public name of the model. */
  get modelId(): string {
    return this.call.modelId;
  }

  /** Tells routing how it went and charges what was used; what holds no output costs nothing. `told` is told of it too. */
  async settle<T extends object>(end: End, told = {} as T): Promise<T & Settled> {
    const { deps, context, call, candidate, read } = this;
    try {
      const counting = this.counted();
      const { summary, usage } = counting instanceof Promise ? await counting : counting;
      this.#report(end, summary, usage);
      if (!summary.hasOutput) {
        await deps.billing.release(call.hold);
        return Object.assign(told, { summary, usage, cost: 0 });
      }
      const settlement = settlementOf(deps, context, {
        candidate,
        usage: asRequest(candidate.price, usage),
        status: end.status,
        stream: read.streamed,
        startedMs: this.sent.startedMs,
        firstTokenMs: read.firstTokenMs,
      });
      await pay(deps, context, call.hold, settlement);
      return Object.assign(told, { summary, usage, cost: settlement.cost });
    } finally {
      call.plan.close();
    }
  }

  /** What came, and what it used: the upstream's own count where it can be true. */
  counted(): Counted | Promise<Counted> {
    const summary = this.read.summary();
    const searches = this.#searchesIn(summary);
    const bounds = boundsWith(this.prompt.most(this.candidate), searches);
    const told = summary.usageIsFinal ? plausibleUsage(summary.usage, bounds, summary.hasOutput) : undefined;
    return told ? { summary, usage: withSearches(told, searches) } : this.#count(summary, bounds, searches);
  }

  /** As the vendor counts them, else as they were seen; one at least where every answer rests on one and nobody counts. */
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
    return { summary, usage: withSearches(usage, searches) };
  }

  #report({ outcome, cause }: End, summary: AnswerSummary, usage: Usage): void {
    this.attempt.report({
      outcome,
      cause,
      latencyMs: this.deps.clock.steadyMs() - this.sent.startedMs,
      ttftMs: this.read.firstTokenMs,
      promptTokens: usage.promptTokens,
      completionTokens: usage.completionTokens,
      usage: asRequest(this.candidate.price, usage),
      wellFormed: summary.complete,
      nonEmpty: summary.hasOutput,
      validStructured: summary.wellFormed,
    });
  }
}
