import { choosingFor, requireChatModel, requireEngine } from '../allowed.ts';
import type { Choosing } from '../models.ts';
import type { Caller, Deps } from '../ports.ts';
import type { Preferences } from '../preferences.ts';
import { pauseFor } from './halt.ts';

/** Who a run works for, and with what. */
export interface Standing {
  deps: Deps;
  caller: Caller;
  preferences: Preferences;
  choosing: Choosing;
}

/** Before each model call: a run lasts for up to a day, and who began it may no longer be let in, or not to as much. */
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

/** Models come and go while a run goes on, and so do those that its key lists. */
export async function renewChoice(work: Standing): Promise<void> {
  const { deps, caller, choosing, preferences } = work;
  const models = await deps.models(caller);
  const settings = { ...choosing.settings, preferences };
  work.choosing = choosingFor(caller, { ...choosing, settings, operator: deps.operator(), models });
}

const sameList = (a: readonly string[] = [], b: readonly string[] = []): boolean =>
  a === b || (a.length === b.length && a.every((name, i) => name === b[i]));
