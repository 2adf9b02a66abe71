import { AppError } from '../../lib/errors.ts';
import type { ModelType } from '../../routing/candidate.ts';
import type { Caller, RelayDeps } from '../deps.ts';
import type { Json } from '../wire/conversation.ts';
import { requiredString } from '../wire/read.ts';

/** The models a key may use, as public ids; null for all. Names in the list may lack their vendor. */
export function allowedModels({ catalog }: Pick<RelayDeps, 'catalog'>, caller: Pick<Caller, 'group' | 'models'>) {
  if (caller.models.length === 0) return null;
  const { group } = caller;
  return new Set(
    caller.models.flatMap((name) => catalog.membersOf(name, group) ?? [catalog.resolve(name, group) ?? name]),
  );
}

/** The request's model, or where it is optional and absent, the first of its type; real ones before the built-in. */
export function modelOrDefault(deps: Pick<RelayDeps, 'catalog'>, caller: Caller, body: Json, type: ModelType): string {
  if (body.model !== undefined && body.model !== null) return requiredString(body, 'model');
  const allowed = allowedModels(deps, caller);
  const offered = deps.catalog
    .models(caller.group)
    .filter((model) => model.types.includes(type) && (allowed === null || allowed.has(model.id)));
  const chosen = offered.find((model) => model.ownedBy !== 'demo') ?? offered[0];
  if (chosen) return chosen.id;
  throw new AppError('model_not_found', `No ${type} model is available to this API key.`, { param: 'model' });
}
