import { allowedChoosing } from '../model-access.ts';
import type { Caller, Deps } from '../ports.ts';
import { withDefaults } from '../preferences.ts';
import { loadPreferences } from '../store/preferences.ts';
import { newMeter } from './meter.ts';

/** The context for a search or an embedding outside of a turn. */
export async function contextOutsideTurn(deps: Deps, caller: Caller, signal: AbortSignal) {
  const preferences = withDefaults(await loadPreferences(deps.db, caller.userId));
  const models = await deps.models(caller);
  const choosing = allowedChoosing(caller, {
    settings: { preferences },
    operator: deps.operator(),
    models,
    patterns: [],
  });
  return { deps, caller, choosing, signal, meter: newMeter() };
}
