import { AppError } from '../../lib/errors.ts';
import type { ModelListing } from '../../routing/catalog/listing.ts';
import type { Caller, RelayDeps } from '../deps.ts';
import { allowedModels } from './default-model.ts';
import { viewModel } from './model-view.ts';

export type ModelView = ReturnType<typeof viewModel>;

const free = { promptPrice: 0, completionPrice: 0, requestPrice: 0 };

/** Models that the key may use; `own` are those that the house itself answers for. */
export function listModels(
  deps: Pick<RelayDeps, 'catalog'>,
  caller: Caller,
  own: readonly ModelListing[],
): ModelView[] {
  const { catalog } = deps;
  const allowed = allowedModels(deps, caller);
  const models = [...own, ...catalog.models(caller.group)].filter(({ id }) => allowed === null || allowed.has(id));
  const aliases = catalog
    .aliases(caller.group)
    .filter(({ id }) => !own.some((model) => model.id === id) && mayUseAlias(catalog, caller, allowed, id));
  return [...models, ...aliases].map((model) => view(deps, caller, model));
}

/** One whose models may all be used, or that the key names itself. */
const mayUseAlias = (
  catalog: RelayDeps['catalog'],
  { group }: Caller,
  allowed: ReadonlySet<string> | null,
  alias: string,
): boolean => allowed === null || catalog.membersOf(alias, group)!.every((id) => allowed.has(id));

export function describeModel(
  deps: Pick<RelayDeps, 'catalog'>,
  caller: Caller,
  own: readonly ModelListing[],
  name: string,
): ModelView {
  const { catalog } = deps;
  const allowed = allowedModels(deps, caller);
  const alias = own.some(({ id }) => id === name)
    ? undefined
    : catalog.aliases(caller.group).find((model) => model.id === name);
  if (alias && mayUseAlias(catalog, caller, allowed, name)) return view(deps, caller, alias);
  const id = catalog.resolve(name, caller.group) ?? name;
  const found = own.find((model) => model.id === name) ?? catalog.model(id, caller.group);
  if (found && (allowed === null || allowed.has(found.id))) return view(deps, caller, found);
  throw new AppError('model_not_found', `The model '${name}' does not exist or cannot be used here.`, {
    param: 'model',
  });
}

function view({ catalog }: Pick<RelayDeps, 'catalog'>, caller: Caller, model: ModelListing): ModelView {
  const legacy = model.price ? undefined : catalog.legacyCandidatesFor(model.id, 'chat', caller.group)[0];
  return viewModel(model, legacy?.price ?? free);
}
