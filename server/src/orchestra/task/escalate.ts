import { type Choosing, chooseTaskModel, harder, pickTiers } from '../models.ts';
import type { Difficulty } from '../params.ts';
import type { Kind } from '../patterns.ts';
import type { CallFault } from './call-fault.ts';
import type { Fault } from './checks.ts';

/** Attempts at one task. */
export const maxAttempts = 3;

export type AttemptFault = Fault | Extract<CallFault, 'unanswered' | 'rejected'>;

/** How far a task has got: what an engine that outlives its process keeps between attempts. */
export interface TaskState {
  difficulty: Difficulty;
  /** The attempts that failed, first to last. */
  faults: { model: string; fault: AttemptFault }[];
}

export interface Attempt {
  number: number;
  model: string;
  difficulty: Difficulty;
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
  const model = faults.length < maxAttempts ? modelFor(choosing, task) : null;
  return model === null ? null : { number: faults.length + 1, model, difficulty };
}

/** Notes a failed attempt and says which follows. */
export function escalate(choosing: Choosing, task: Escalation, model: string, fault: AttemptFault): Attempt | null {
  const { state, adaptive } = task;
  const { difficulty } = state;
  state.faults.push({ model, fault });
  // A bad answer says that the work is harder than thought; an outage says nothing about the work.
  if (adaptive && fault !== 'unanswered') state.difficulty = harder(difficulty);
  const next = dueAttempt(choosing, task);
  if (!next) state.difficulty = difficulty;
  return next;
}

/** The usual model unless it has failed already, then another; the same again only where that may help. */
function modelFor(choosing: Choosing, { kind, state, adaptive }: Escalation): string | null {
  const { difficulty, faults } = state;
  const usual = chooseTaskModel(choosing, difficulty, kind)?.model ?? null;
  const failed = faults.findLast(({ model }) => model === usual);
  if (usual === null || !adaptive || !failed) return usual;
  const tried = faults.map(({ model }) => model);
  const other =
    faults.at(-1)!.fault === 'unanswered'
      ? ([harder(difficulty), 'hard', 'medium', 'easy'] as const)
          .map((one) => chooseTaskModel(choosing, one, kind)!.model)
          .find((model) => !tried.includes(model))
      : chooseOtherModel(choosing, tried);
  return other ?? (repeating.has(failed.fault) ? null : usual);
}

/**
 * Where the model of a difficulty gave no good answer and there is none above it: the next cheaper one that was not tried
 * yet. What one vendor's model will not say another's may. Null where a model was named by somebody.
 */
export function chooseOtherModel({ settings, operator, models }: Choosing, tried: string[]): string | null {
  const tiers = pickTiers(models);
  const named = settings.force_model || operator.hard || settings.preferences.use_custom_models;
  if (named || !tiers) return null;
  return [tiers.hard, tiers.medium].find((model) => !tried.includes(model)) ?? null;
}
