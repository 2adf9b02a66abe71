import { AppError } from '../lib/errors.ts';
import { table } from '../lib/table.ts';
import type { Override } from '../routing/override.ts';
import type { Caller, RelayDeps } from './deps.ts';

type Catalog = Pick<RelayDeps['catalog'], 'resolve' | 'membersOf'>;

/** Suffixes of model names that choose how providers are ordered. */
const variants = table<Override['sort']>({ floor: 'price', nitro: 'throughput' });

/** A model as named by a request, resolved. */
interface ResolvedModel {
  /** The name without its variant. */
  name: string;
  modelId: string;
  sort?: Override['sort'];
}

/** If a model's real name ends like a variant, it is that model. */
export function resolveModel(catalog: Pick<Catalog, 'resolve'>, name: string, group: string): ResolvedModel {
  const whole = catalog.resolve(name, group);
  if (whole !== null) return { name, modelId: whole };
  const variant = variantOf(name);
  const modelId = variant && catalog.resolve(variant.base, group);
  return modelId ? { name: variant.base, modelId, sort: variant.sort } : { name, modelId: name };
}

function variantOf(name: string): { base: string; suffix: string; sort: Override['sort'] } | null {
  const at = name.lastIndexOf(':');
  const suffix = at > 0 ? name.slice(at + 1) : '';
  const sort = variants[suffix];
  return sort ? { base: name.slice(0, at), suffix: `:${suffix}`, sort } : null;
}

/** An explicit order in the request takes precedence over the variant. */
export const sortedAs = (override: Override | null, sort: Override['sort']): Override | null =>
  sort === undefined || override?.sort !== undefined ? override : { ...override, sort };

/** A model to ask, and the name shown in its answer. */
export interface ModelToTry {
  name: string;
  shown: string;
}

/** All models that may answer a request, in order. A group expands to its members, each with the group's variant. */
export function modelsToTry(
  catalog: Catalog,
  { group }: Pick<Caller, 'group'>,
  model: string,
  others: readonly string[],
): ModelToTry[] {
  if (others.length === 0) return membersOf(catalog, model, group);
  const asked = new Map<string, ModelToTry>();
  for (const given of [model, ...others]) {
    for (const one of membersOf(catalog, given, group)) if (!asked.has(one.name)) asked.set(one.name, one);
  }
  return [...asked.values()];
}

/** Whether a request for this model, alone, finds one. */
export const isKnown = (catalog: Catalog, model: string, group: string): boolean =>
  membersOf(catalog, model, group).some(({ name }) =>
    catalog.resolve(resolveModel(catalog, name, group).modelId, group),
  );

function membersOf(catalog: Catalog, given: string, group: string): ModelToTry[] {
  const members = catalog.membersOf(given, group);
  if (members) return asMembers(given, members, '');
  const variant = variantOf(given);
  const behind = variant && catalog.resolve(given, group) === null && catalog.membersOf(variant.base, group);
  return asMembers(given, behind || none, variant?.suffix ?? '');
}

const none: readonly string[] = [];

/** An alias of a single model is shown under the alias. */
const asMembers = (given: string, members: readonly string[], variant: string): ModelToTry[] =>
  members.length < 2 ? [{ name: given, shown: given }] : eachMember(members, variant);

const eachMember = (members: readonly string[], variant: string): ModelToTry[] =>
  members.map((id) => ({ name: id + variant, shown: id }));

const leadsOn: ReadonlySet<string> = new Set([
  'provider_error',
  'timeout',
  'no_available_provider',
  'no_eligible_provider',
  'capacity_exhausted',
  'model_not_found',
  'context_length_exceeded',
  'unsupported_parameter',
]);

/** Whether another model may succeed. Errors of permission or payment end the search. */
export const mayTryNext = (error: unknown): boolean => error instanceof AppError && leadsOn.has(error.code);
