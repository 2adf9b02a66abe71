import { type Choice, type Choosing, chooseTaskModel, harder, pickTiers, without } from '../models.ts';
import type { Difficulty } from '../params.ts';
import type { Kind } from '../patterns.ts';
import type { CallFault } from './call-fault.ts';
import type { Fault } from './checks.ts';
import { circuitFailover, type Failover, mostModels } from './failover.ts';

/** Maximum attempts per task. As long as other models are left, one that does not answer does not use up an attempt. */
export const maxAttempts = 3;

export type AttemptFault = Fault | Extract<CallFault, 'unanswered' | 'rejected'>;

/** The progress of a task, which durable engines store between attempts. */
export interface TaskState {
  difficulty: Difficulty;
  /** The failed attempts, oldest first. */
  faults: { model: string; fault: AttemptFault; why?: string }[];
}

export interface Attempt {
  number: number;
  model: string;
  difficulty: Difficulty;
  /** No other attempt follows, whatever the answer. */
  last: boolean;
  /** The model that this one replaces, and why. */
  failover?: Failover;
}

export interface Escalation {
  kind: Kind;
  state: TaskState;
  /** Whether a retry may change model and difficulty; otherwise the same model is tried again. */
  adaptive: boolean;
}

/** Faults that the same model would repeat. */
const repeating = new Set<AttemptFault>(['refused', 'cut_off']);

/** The next attempt for the current state; null if there is nothing left to try. */
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
      : circuitFailover(choice);
  const last = answers === maxAttempts - 1;
  return { number: faults.length + 1, model, difficulty, last, ...(failover && { failover }) };
}

/** Records a failed attempt and returns the next one. */
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
  // A bad answer means that the task is harder than estimated; an outage says nothing about the task.
  if (adaptive && fault !== 'unanswered') state.difficulty = harder(difficulty);
  const next = dueAttempt(choosing, task);
  if (!next) state.difficulty = difficulty;
  return next;
}

/** The usual model unless it has failed, then another one; the same model again only if that may help. */
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

/**
 * The next model after an outage: preferably one that the user or operator named, even for other work; otherwise the
 * best one left for this task.
 */
function nextBest(choosing: Choosing, tried: string[], difficulty: Difficulty, kind: Kind): Choice | null {
  if (choosing.settings.force_model) return null;
  const left = without(choosing, tried);
  const choices = ([difficulty, harder(difficulty), 'hard', 'medium', 'easy'] as const).flatMap(
    (one) => chooseTaskModel(left, one, kind) ?? [],
  );
  return choices.find(({ source }) => namers.has(source)) ?? choices[0] ?? null;
}

/**
 * If the model for a difficulty gave no good answer and there is no stronger one: the next cheaper model not tried yet.
 * Another vendor's model may answer what this one refuses. Null if the user or operator named a model.
 */
export function chooseOtherModel({ settings, operator, models }: Choosing, tried: string[]): Choice | null {
  const tiers = pickTiers(models);
  const named = settings.force_model || operator.hard || settings.preferences.use_custom_models;
  if (named || !tiers) return null;
  const model = [tiers.hard, tiers.medium].find((one) => !tried.includes(one));
  return model === undefined ? null : { model, source: 'picked' };
}
