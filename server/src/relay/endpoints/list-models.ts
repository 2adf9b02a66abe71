import { AppError } from '../../lib/errors.ts';
import type { ModelListing } from '../../routing/catalog/listing.ts';
import type { Reach } from '../../routing/key-limits.ts';
import type { Caller, RelayDeps } from '../deps.ts';
import { supportedByAny } from '../supported-parameters.ts';
import { allowedModels } from './default-model.ts';
import { viewModel } from './model-view.ts';

export type ModelView = ReturnType<typeof viewModel>;

type ListDeps = Pick<RelayDeps, 'catalog' | 'reachOf'>;

/** Whether the key's organisation, if any, allows a model of the catalog. */
const offered =
  (reach: Reach | null) =>
  ({ id, providers }: ModelListing): boolean =>
    reach === null || (reach.mayAsk(id) && providers.some((provider) => reach.mayUse(provider)));

const reachOf = async ({ reachOf: of }: ListDeps, { keyId }: Caller): Promise<Reach | null> =>
  keyId === null ? null : ((await of?.(keyId)) ?? null);

/**
 * Models that the key may use; `own` are built-in models, whose calls are checked against the organisation's limits
 * when they are made.
 */
export const listModels = async (deps: ListDeps, caller: Caller, own: readonly ModelListing[]): Promise<ModelView[]> =>
  (await usableModels(deps, caller, own)).map((model) => view(deps, caller, model));

export async function usableModels(
  deps: ListDeps,
  caller: Caller,
  own: readonly ModelListing[],
): Promise<ModelListing[]> {
  const { catalog } = deps;
  const allowed = allowedModels(deps, caller);
  const isOffered = offered(await reachOf(deps, caller));
  const models = [...own, ...catalog.models(caller.group).filter(isOffered)].filter(
    ({ id }) => allowed === null || allowed.has(id),
  );
  const aliases = catalog
    .aliases(caller.group)
    .filter(({ id }) => !own.some((model) => model.id === id) && mayUseAlias(catalog, caller, allowed, id))
    .filter(({ id }) => models.some((model) => catalog.membersOf(id, caller.group)!.includes(model.id)));
  return [...models, ...aliases];
}

/** An alias whose models may all be used, or that the key names itself. */
const mayUseAlias = (
  catalog: RelayDeps['catalog'],
  { group }: Caller,
  allowed: ReadonlySet<string> | null,
  alias: string,
): boolean => allowed === null || catalog.membersOf(alias, group)!.every((id) => allowed.has(id));

export const describeModel = async (
  deps: ListDeps,
  caller: Caller,
  own: readonly ModelListing[],
  name: string,
): Promise<ModelView> => view(deps, caller, await usableModel(deps, caller, own, name));

/** A model by name, which may lack the vendor. */
export async function usableModel(
  deps: ListDeps,
  caller: Caller,
  own: readonly ModelListing[],
  name: string,
): Promise<ModelListing> {
  const { catalog } = deps;
  const allowed = allowedModels(deps, caller);
  const alias = own.some(({ id }) => id === name)
    ? undefined
    : catalog.aliases(caller.group).find((model) => model.id === name);
  if (alias && mayUseAlias(catalog, caller, allowed, name)) return alias;
  const id = catalog.resolve(name, caller.group) ?? name;
  const listed = catalog.model(id, caller.group);
  const isOffered = offered(await reachOf(deps, caller));
  const found = own.find((model) => model.id === name) ?? (listed && isOffered(listed) ? listed : undefined);
  if (found && (allowed === null || allowed.has(found.id))) return found;
  throw new AppError('model_not_found', `The model '${name}' does not exist or cannot be used here.`, {
    param: 'model',
  });
}

function view({ catalog }: Pick<RelayDeps, 'catalog'>, { group }: Caller, model: ModelListing): ModelView {
  const candidates = (catalog.membersOf(model.id, group) ?? [model.id]).flatMap((id) => {
    const offered = catalog.candidatesFor(id, 'chat', group);
    return offered.length > 0 ? offered : catalog.legacyCandidatesFor(id, 'chat', group);
  });
  const legacy = model.price ? undefined : catalog.legacyCandidatesFor(model.id, 'chat', group)[0];
  return viewModel(model, model.price ?? legacy?.price ?? null, supportedByAny(candidates));
}
