import { requireAvailableModel } from '../routing/available-models.ts';
import type { Candidate, ModelType } from '../routing/candidate.ts';
import { candidatesLeft } from '../routing/rank.ts';
import { requireAllowedModel } from './charge.ts';
import type { RelayDeps, RequestContext } from './deps.ts';
import { resolveModel } from './model-names.ts';

/**
 * The candidates that a request may use, given its key, its organisation, the user's preferences and its own
 * `provider`; throws if there are none. For what is asked beside routing: nothing is counted or logged.
 */
export async function usableCandidates(
  deps: Pick<RelayDeps, 'catalog' | 'routing' | 'admit'>,
  context: Pick<RequestContext, 'caller' | 'override'>,
  model: string,
  type: ModelType,
): Promise<Candidate[]> {
  const { userId, group, keyId } = context.caller;
  const { name, modelId } = resolveModel(deps.catalog, model, group);
  requireAllowedModel(deps, context, name, modelId);
  const { candidates } = requireAvailableModel(deps.catalog, { modelId, type, group });
  const admission = keyId === null ? null : await deps.admit?.(keyId, [modelId, name], true);
  const fits = admission ? ({ channel }: Candidate) => admission.mayUse(channel.provider) : undefined;
  const standing = await deps.routing.standing(userId, context.override, fits);
  return candidatesLeft(modelId, standing(candidates));
}
