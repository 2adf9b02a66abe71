import { choosingFor, requireChatModel, requireEngine } from '../allowed.ts';
import type { Choosing } from '../models.ts';
import type { Caller, Deps } from '../ports.ts';
import type { Preferences } from '../preferences.ts';
import { pauseFor } from './halt.ts';

/** The caller of a run, and the models and preferences that apply. */
export interface Standing {
  deps: Deps;
  caller: Caller;
  preferences: Preferences;
  choosing: Choosing;
}

/** Runs before each model call: a run lasts up to a day, and the caller's access may have been revoked or reduced. */
export async function lookAgain(work: Standing): Promise<void> {
  try {
    const caller = await work.deps.permit(work.caller);
    const before = work.caller;
    work.caller = caller;
    if (sameList(caller.allowedModels, before.allowedModels) && caller.group === before.group) return;
    requireEngine(caller);
    await renewChoice(work);
    await requireChatModel(work.deps, caller, work.choosing.models);
  } catch (error) {
    throw pauseFor(error);
  }
}

/** Reloads the available models: both the models offered and those the key allows may change during a run. */
export async function renewChoice(work: Standing): Promise<void> {
  const { deps, caller, choosing, preferences } = work;
  const models = await deps.models(caller);
  const settings = { ...choosing.settings, preferences };
  work.choosing = choosingFor(caller, { ...choosing, settings, operator: deps.operator(), models });
}

const sameList = (a: readonly string[] = [], b: readonly string[] = []): boolean =>
  a === b || (a.length === b.length && a.every((name, i) => name === b[i]));
