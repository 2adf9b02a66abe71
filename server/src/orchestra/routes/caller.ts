import type { KeyPrincipal } from '../../identity/principals.ts';
import { choosingFor } from '../allowed.ts';
import type { Caller, Deps } from '../ports.ts';
import { withDefaults } from '../preferences.ts';
import { loadPreferences } from '../store/preferences.ts';
import { newMeter } from '../turn/meter.ts';

export const callerOf = ({ user, keyId, models, unlimited }: KeyPrincipal): Caller => ({
  userId: user.id,
  keyId,
  allowedModels: models,
  group: user.group,
  keyUnlimited: unlimited,
});

/** What a search or an embedding outside of a turn needs. */
export async function outsideTurn(deps: Deps, caller: Caller, signal: AbortSignal) {
  const preferences = withDefaults(await loadPreferences(deps.db, caller.userId));
  const models = await deps.models(caller);
  const choosing = choosingFor(caller, { settings: { preferences }, operator: deps.operator(), models, patterns: [] });
  return { deps, caller, choosing, signal, meter: newMeter() };
}
