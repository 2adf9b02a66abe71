import { isInsufficientQuota } from '../billing/insufficient-quota.ts';
import type { Hold } from '../billing/types.ts';
import type { ConversationName } from '../routing/affinity.ts';
import type { Candidate, ModelType } from '../routing/candidate.ts';
import type { Admission } from '../routing/key-limits.ts';
import type { Plan } from '../routing/plan.ts';
import { type Estimate, estimateCost, requireAllowedModel } from './charge.ts';
import type { RelayDeps, RequestContext } from './deps.ts';
import { resolveModel, sortedAs } from './model-names.ts';
import { noteFailure } from './note-failure.ts';

/** A request with its candidates planned and its hold placed; `giveUp` releases both. */
export class OpenCall {
  constructor(
    readonly deps: RelayDeps,
    readonly modelId: string,
    readonly plan: Plan,
    readonly hold: Hold,
  ) {}

  async giveUp(): Promise<void> {
    this.plan.close();
    await this.deps.billing.release(this.hold);
  }
}

export async function openCall(
  deps: RelayDeps,
  context: RequestContext,
  model: string,
  type: ModelType,
  estimate: Estimate,
  fits?: (candidate: Candidate) => boolean,
  conversation?: ConversationName,
  suits?: (candidate: Candidate) => boolean,
): Promise<OpenCall> {
  const { caller, requestId, override, insteadOf, parentRequestId, trial } = context;
  const { userId, group, keyId } = caller;
  let modelId = model;
  let plan: Plan | undefined;
  try {
    const meant = resolveModel(deps.catalog, model, group);
    modelId = meant.modelId;
    requireAllowedModel(deps, context, meant.name, modelId);
    const admitting = keyId === null ? null : (deps.admit?.(keyId, [modelId, meant.name], context.counted) ?? null);
    const admission = admitting instanceof Promise ? await admitting : admitting;
    const planned = deps.routing.plan({
      requestId,
      userId,
      keyId,
      group,
      modelId,
      type,
      conversation,
      insteadOf,
      parentRequestId,
      trial,
      suits,
      expectation: estimate,
      override: sortedAs(override, meant.sort),
      fits: admission ? within(admission, fits) : fits,
    });
    plan = planned instanceof Promise ? await planned : planned;
    let hold: Hold | undefined;
    try {
      hold = await takeHold(deps, context, modelId, estimateCost(context, plan, estimate));
    } catch (error) {
      if (!isInsufficientQuota(error) || !estimate.countPrompt) throw error;
    }
    hold ??= await holdCounted(deps, context, modelId, plan, estimate);
    tellBudget(deps, context, hold);
    return new OpenCall(deps, modelId, plan, hold);
  } catch (error) {
    plan?.close();
    noteFailure(deps, context, modelId, error, 0);
    throw error;
  }
}

const within =
  (admission: Admission, fits?: (candidate: Candidate) => boolean) =>
  (candidate: Candidate): boolean =>
    admission.mayUse(candidate.channel.provider) && (fits?.(candidate) ?? true);

function takeHold(deps: RelayDeps, context: RequestContext, modelId: string, amount: number): Promise<Hold> {
  const { caller } = context;
  return deps.billing.hold({
    requestId: context.requestId,
    userId: caller.userId,
    keyId: caller.keyId,
    keyUnlimited: caller.keyUnlimited,
    amount,
    modelId,
  });
}

/** Tells the client what is left of its tightest budget after this hold. */
function tellBudget({ billing }: RelayDeps, context: RequestContext, hold: Hold): void {
  const left = hold.levels && billing.budgetLeft(hold);
  if (left !== null) context.tell?.('x-svc-budget-remaining', `${left}`);
}

/** Hardly any prompt has fewer tokens than this share of its bytes; ordinary text has a quarter. */
const least = 0.125;

/**
 * For a balance that does not cover the upper bound. First holds the least the request can cost, so that callers
 * without money cannot make us count tokens, then the counted prompt.
 */
async function holdCounted(
  deps: RelayDeps,
  context: RequestContext,
  modelId: string,
  plan: Plan,
  estimate: Estimate,
): Promise<Hold> {
  const costOfPrompt = (tokensOf: (most: number) => number) =>
    estimateCost(context, plan, {
      most: (candidate) => {
        const usage = estimate.most(candidate);
        return { ...usage, promptTokens: tokensOf(usage.promptTokens) };
      },
      asks: estimate.asks,
    });
  const first = await takeHold(
    deps,
    context,
    modelId,
    costOfPrompt((tokens) => tokens * least),
  );
  try {
    const counted = await estimate.countPrompt!();
    const amount = costOfPrompt((tokens) => Math.min(tokens, counted));
    if (amount <= first.amount) return first;
    await deps.billing.release(first);
    return await takeHold(deps, context, modelId, amount);
  } catch (error) {
    await deps.billing.release(first);
    throw error;
  }
}
