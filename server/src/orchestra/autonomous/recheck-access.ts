import { allowedChoosing, requireChatModel, requireEngineAccess } from '../model-access.ts';
import type { Choosing } from '../models.ts';
import type { Caller, Deps } from '../ports.ts';
import type { Preferences } from '../preferences.ts';
import { pauseFor } from './halt.ts';

/** The caller of a run, and the models and preferences that apply. */
export interface RunAccess {
  deps: Deps;
  caller: Caller;
  preferences: Preferences;
  choosing: Choosing;
}

/** Runs before each model call: a run lasts up to a day, and the caller's access may have been revoked or reduced. */
export async function recheckAccess(work: RunAccess): Promise<void> {
  try {
    const caller = await work.deps.permit(work.caller);
    const before = work.caller;
    work.caller = caller;
    if (sameList(caller.allowedModels, before.allowedModels) && caller.group === before.group) return;
    requireEngineAccess(caller);
    await reloadModels(work);
    await requireChatModel(work.deps, caller, work.choosing.models);
  } catch (error) {
    throw pauseFor(error);
  }
}

/** Reloads the available models: both the models offered and those the key allows may change during a run. */
export async function reloadModels(work: RunAccess): Promise<void> {
  const { deps, caller, choosing, preferences } = work;
  const models = await deps.models(caller);
  const settings = { ...choosing.settings, preferences };
  work.choosing = allowedChoosing(caller, { ...choosing, settings, operator: deps.operator(), models });
}

const sameList = (a: readonly string[] = [], b: readonly string[] = []): boolean =>
  a === b || (a.length === b.length && a.every((name, i) => name === b[i]));
