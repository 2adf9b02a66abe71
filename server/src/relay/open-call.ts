import type { Hold } from '../billing/types.ts';
import type { Usage } from '../lib/money.ts';
import type { Candidate, ModelType } from '../routing/candidate.ts';
import type { Plan } from '../routing/plan.ts';
import { allowModel, estimateCost, openHold } from './bill.ts';
import type { Errand, RelayDeps } from './deps.ts';

/** A request that has its candidates and its money put aside; `give up` returns both. */
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
  errand: Errand,
  model: string,
  type: ModelType,
  estimate: (candidate: Candidate) => Usage,
  fits?: (candidate: Candidate) => boolean,
): Promise<OpenCall> {
  const { caller } = errand;
  const modelId = deps.catalog.resolve(model, caller.group) ?? model;
  allowModel(errand, model, modelId);
  const planned = deps.routing.plan({
    requestId: errand.requestId,
    userId: caller.userId,
    group: caller.group,
    modelId,
    type,
    override: errand.override,
    fits,
  });
  const plan = planned instanceof Promise ? await planned : planned;
  try {
    const hold = await openHold(deps, errand, modelId, estimateCost(plan, estimate));
    return new OpenCall(deps, modelId, plan, hold);
  } catch (error) {
    plan.close();
    throw error;
  }
}
