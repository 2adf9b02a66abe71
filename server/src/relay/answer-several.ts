import { AppError } from '../lib/errors.ts';
import { requestId } from '../lib/ids.ts';
import { mapAtOnce } from '../lib/map-at-once.ts';
import type { Usage } from '../lib/money.ts';
import type { Candidate } from '../routing/candidate.ts';
import type { Attempt } from '../routing/plan.ts';
import { ask, type ChatAnswer, type Settled } from './answer-chat.ts';
import { type Estimate, effectivePrice, priceOf, settle, settlementOf, withRequestPrice } from './charge.ts';
import { fitsWindow } from './context-window.ts';
import { type WholeAnswer, whole } from './deliver-whole.ts';
import type { RelayDeps, RequestContext } from './deps.ts';
import { type OpenCall, openCall } from './open-call.ts';
import { type Prompt, promptOf } from './prompt.ts';
import { hasCompletions, providerKindFor } from './provider-kind-for.ts';
import { tryCandidates } from './try-candidates.ts';
import { tryModels } from './try-models.ts';
import { chatsOf, type SourcedCompletion } from './wire/completions/request.ts';
import type { Answer, Conversation } from './wire/conversation.ts';

/** Parallel requests to one upstream; more would look like an attack to a small server. */
const mostAtOnce = 4;

export interface SeveralAnswered extends Pick<Settled, 'usage' | 'cost'> {
  candidate: Candidate;
  /** The model name shown in the answer. */
  model: string;
  /** One per prompt, or a single one if the upstream takes all prompts in one request. */
  answers: Answer[];
}

/** A text completion with several prompts: one candidate answers all of them, under one hold and one charge. */
export const answerSeveral = (
  deps: RelayDeps,
  given: RequestContext,
  conversation: SourcedCompletion,
): Promise<SeveralAnswered> =>
  tryModels(deps, given, conversation.model, async (context, { name, shown }) => ({
    ...(await askOne(deps, context, name, conversation)),
    model: shown,
  }));

async function askOne(
  deps: RelayDeps,
  context: RequestContext,
  model: string,
  conversation: SourcedCompletion,
): Promise<Omit<SeveralAnswered, 'model'>> {
  const chats = chatsOf(conversation).map((chat) => ({ conversation: chat, prompt: promptOf(chat) }));
  const prompts = chats.map(({ prompt }) => prompt);
  const fits = prompts.map(fitsWindow).filter((fit) => fit !== undefined);
  const call = await openCall(deps, context, model, 'chat', estimateOf(prompts), (candidate) =>
    fits.every((fit) => fit(candidate)),
  );
  const startedMs = deps.clock.steadyMs();
  const together = { conversation: { ...conversation, stream: false }, prompt: promptOf(conversation) };
  let answered: ChatAnswer<WholeAnswer>[] = [];
  const answers = await tryCandidates(deps, context, call, (attempt) => {
    // Rejects what this candidate does not support before the first prompt is sent.
    providerKindFor(attempt.candidate, conversation);
    answered = [];
    return askAll(deps, context, call, attempt, hasCompletions(attempt.candidate) ? [together] : chats, answered);
  }).catch(async (error: unknown) => {
    if (isCallers(error)) await payFor(deps, context, call, answered, startedMs);
    throw error;
  });
  return settleAll(deps, context, call, answers, startedMs);
}

const ownFaults = new Set(['context_length_exceeded', 'upstream_refused', 'request_too_large']);
const isCallers = (error: unknown): boolean => error instanceof AppError && ownFaults.has(error.code);

/**
 * The other prompts were answered and billed by the vendor. If they were free, one prompt that always fails would be
 * enough to have any number of others answered at the operator's cost. A row of its own, since another model may answer.
 */
async function payFor(
  deps: RelayDeps,
  context: RequestContext,
  { modelId }: OpenCall,
  answered: ChatAnswer<WholeAnswer>[],
  startedMs: number,
): Promise<void> {
  const bill = answered.length > 0 ? await billOf(context, answered) : null;
  if (!bill) return;
  // A derived context is one.
  const named = Object.create(context, {
    requestId: { value: requestId(), enumerable: true },
    parentRequestId: { value: context.requestId, enumerable: true },
  }) as RequestContext;
  const { userId, keyId, keyUnlimited } = context.caller;
  const hold = await deps.billing.hold({
    ...{ requestId: named.requestId, userId, keyId, keyUnlimited, amount: 0, modelId },
  });
  await deps.billing.settle(hold, settlementOf(deps, named, { ...bill, status: 'error', stream: false, startedMs }));
}

const estimateOf = (prompts: Prompt[]): Estimate => ({
  most: (candidate) => sum(prompts.map((prompt) => withRequestPrice(candidate.price, prompt.most(candidate)))),
  countPrompt: async () => (await Promise.all(prompts.map((prompt) => prompt.countMost()))).reduce((a, b) => a + b, 0),
});

interface One {
  conversation: Conversation;
  prompt: Prompt;
}

const askAll = (
  deps: RelayDeps,
  context: RequestContext,
  call: OpenCall,
  attempt: Attempt,
  all: One[],
  answered: ChatAnswer<WholeAnswer>[],
): Promise<ChatAnswer<WholeAnswer>[]> =>
  mapAtOnce(all, mostAtOnce, async (one) => {
    const answer = await ask({ deps, context, ...one }, call, whole, attempt);
    answer.sent.done();
    answered.push(answer);
    return answer;
  });

/** Null if nothing was produced. */
async function billOf(context: RequestContext, answers: ChatAnswer<WholeAnswer>[]) {
  const { candidate } = answers[0]!;
  const price = effectivePrice(context, candidate);
  const counted = await Promise.all(answers.map((answer) => answer.counted()));
  const made = counted.filter(({ summary }) => summary.hasOutput).map(({ usage }) => withRequestPrice(price, usage));
  if (made.length === 0) return null;
  const usage = sum(made);
  // Rounded up once for all prompts. Each prompt is priced on its own, so that many small prompts do not reach a
  // large prompt's rate.
  const apart = made.reduce((total, one) => total + priceOf(price, one), 0);
  return { candidate, usage, cost: Math.min(apart, priceOf(price, usage)) };
}

async function settleAll(
  deps: RelayDeps,
  context: RequestContext,
  call: OpenCall,
  answers: ChatAnswer<WholeAnswer>[],
  startedMs: number,
): Promise<Omit<SeveralAnswered, 'model'>> {
  const { attempt, candidate } = answers[0]!;
  try {
    const bill = await billOf(context, answers);
    const usage = bill?.usage ?? { promptTokens: 0, completionTokens: 0 };
    attempt.report({
      outcome: 'success',
      latencyMs: deps.clock.steadyMs() - startedMs,
      promptTokens: usage.promptTokens,
      completionTokens: usage.completionTokens,
      usage,
      wellFormed: true,
      nonEmpty: bill !== null,
    });
    const given = { candidate, usage, answers: answers.map(({ read }) => read.answer) };
    if (!bill) {
      await deps.billing.release(call.hold);
      return { ...given, cost: 0 };
    }
    await settle(deps, context, call.hold, { ...bill, status: 'ok', stream: false, startedMs });
    return { ...given, cost: bill.cost };
  } finally {
    call.plan.close();
  }
}

const parts = [
  'cacheReadTokens',
  'cacheWriteTokens',
  'cacheWrite1hTokens',
  'reasoningTokens',
  'audioInTokens',
  'imageInTokens',
  'audioOutTokens',
  'searches',
  'units',
] as const;

function sum(usages: Usage[]): Usage {
  const total: Usage = { promptTokens: 0, completionTokens: 0 };
  for (const usage of usages) {
    total.promptTokens += usage.promptTokens;
    total.completionTokens += usage.completionTokens;
    for (const part of parts) if (usage[part] !== undefined) total[part] = (total[part] ?? 0) + usage[part];
    if (usage.estimated) total.estimated = true;
  }
  return total;
}
