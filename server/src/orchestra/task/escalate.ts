import { type Choice, type Choosing, chooseTaskModel, harder, pickTiers, without } from '../models.ts';
import type { Difficulty } from '../params.ts';
import type { Kind } from '../patterns.ts';
import type { CallFault } from './call-fault.ts';
import type { Fault } from './checks.ts';
import { type Failover, mostModels, passedOver } from './failover.ts';

/** Attempts at one task. Where others are left, a model that does not answer takes none of them away. */
export const maxAttempts = 3;

export type AttemptFault = Fault | Extract<CallFault, 'unanswered' | 'rejected'>;

/** How far a task has got: what an engine that outlives its process keeps between attempts. */
export interface TaskState {
  difficulty: Difficulty;
  /** The attempts that failed, first to last. */
  faults: { model: string; fault: AttemptFault; why?: string }[];
}

export interface Attempt {
  number: number;
  model: string;
  difficulty: Difficulty;
  /** Whatever it answers, no other follows. */
  last: boolean;
  /** The model that should have done it. */
  failover?: Failover;
}

export interface Escalation {
  kind: Kind;
  state: TaskState;
  /** A retry may change model and difficulty; else the same is tried again. */
  adaptive: boolean;
}

/** Faults that the same model would only repeat. */
const repeating = new Set<AttemptFault>(['refused', 'cut_off']);

/** The attempt that is due as the state stands; null when there is nothing left to try. */
export function dueAttempt(choosing: Choosing, task: Escalation): Attempt | null {
  const { difficulty, faults } = task.state;
  const outages = faults.filter(({ fault }) => fault === 'unanswered').length;
  const answers = faults.length - outages;
  if (answers >= maxAttempts || outages >= mostModels) return null;
  const choice = choiceFor(choosing, task);
  if (!choice) return null;
  const { model } = choice;
  const before = faults.at(-1);
  const failover =
    before?.fault === 'unanswered' && before.model !== model
      ? { from: before.model, to: model, why: before.why ?? before.fault }
      : passedOver(choice);
  const last = answers === maxAttempts - 1;
  return { number: faults.length + 1, model, difficulty, last, ...(failover && { failover }) };
}

/** Notes a failed attempt and says which follows. */
export function escalate(
  choosing: Choosing,
  task: Escalation,
  model: string,
  fault: AttemptFault,
  why?: string,
): Attempt | null {
  const { state, adaptive } = task;
  const { difficulty } = state;
  state.faults.push({ model, fault, ...(why !== undefined && { why }) });
  // A bad answer says that the work is harder than thought; an outage says nothing about the work.
  if (adaptive && fault !== 'unanswered') state.difficulty = harder(difficulty);
  const next = dueAttempt(choosing, task);
  if (!next) state.difficulty = difficulty;
  return next;
}

/** The usual model unless it has failed already, then another; the same again only where that may help. */
function choiceFor(choosing: Choosing, { kind, state, adaptive }: Escalation): Choice | null {
  const { difficulty, faults } = state;
  const usual = chooseTaskModel(choosing, difficulty, kind);
  const failed = faults.findLast(({ model }) => model === usual?.model);
  const again = faults.length < maxAttempts ? usual : null;
  if (!usual || !adaptive || !failed) return failed ? again : usual;
  const tried = faults.map(({ model }) => model);
  const other =
    faults.at(-1)!.fault === 'unanswered'
      ? nextBest(choosing, tried, difficulty, kind)
      : chooseOtherModel(choosing, tried);
  if (other) return other;
  return repeating.has(failed.fault) ? null : again;
}

const namers = new Set<Choice['source']>(['user', 'operator']);

/** While models do not answer: whichever somebody named, for other work too, else the best that is left for this. */
function nextBest(choosing: Choosing, tried: string[], difficulty: Difficulty, kind: Kind): Choice | null {
  if (choosing.settings.force_model) return null;
  const left = without(choosing, tried);
  const choices = ([difficulty, harder(difficulty), 'hard', 'medium', 'easy'] as const).flatMap(
    (one) => chooseTaskModel(left, one, kind) ?? [],
  );
  return choices.find(({ source }) => namers.has(source)) ?? choices[0] ?? null;
}

/**
 * Where the model of a difficulty gave no good answer and there is none above it: the next cheaper one that was not tried
 * yet. What one vendor's model will not say another's may. Null where a model was named by somebody.
 */
export function chooseOtherModel({ settings, operator, models }: Choosing, tried: string[]): Choice | null {
  const tiers = pickTiers(models);
  const named = settings.force_model || operator.hard || settings.preferences.use_custom_models;
  if (named || !tiers) return null;
  const model = [tiers.hard, tiers.medium].find((one) => !tried.includes(one));
  return model === undefined ? null : { model, source: 'picked' };
}
