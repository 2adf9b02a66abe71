import type { Candidate } from '../../routing/candidate.ts';
import type { ModelListing } from '../../routing/catalog/listing.ts';
import { viewPrices } from '../../routing/catalog/prices-field.ts';
import { type Health, sharedHealth } from '../../routing/health.ts';
import type { Caller, RelayDeps } from '../deps.ts';
import { supportedByAny } from '../supported-parameters.ts';
import { usableModel, usableModels } from './list-models.ts';
import { abilitiesOf } from './model-abilities.ts';
import { supportedParameters } from './model-view.ts';

type OfferDeps = Pick<RelayDeps, 'catalog' | 'reachOf' | 'routing'>;

/** All models a user may use, with what people choose by. */
export const offeredModels = async (deps: OfferDeps, caller: Caller, own: readonly ModelListing[]) =>
  (await usableModels(deps, caller, own)).map((model) => summaryOf(deps, caller, own, model));

/** One model with its providers. */
export async function offeredModel(deps: OfferDeps, caller: Caller, own: readonly ModelListing[], name: string) {
  const model = await usableModel(deps, caller, own, name);
  const candidates = candidatesOf(deps, caller, own, model);
  return {
    ...summaryOf(deps, caller, own, model),
    supported_parameters: supportedParameters(model, supportedByAny(candidates.filter(isChat))),
    offers: candidates.map((candidate) => offerOf(candidate, deps.routing.health(candidate))),
  };
}

function summaryOf(deps: OfferDeps, caller: Caller, own: readonly ModelListing[], model: ModelListing) {
  const candidates = candidatesOf(deps, caller, own, model);
  const asked = candidates.map((candidate) => ({
    provider: candidate.channel.provider,
    health: deps.routing.health(candidate),
  }));
  const providers = [...new Set(asked.map(({ provider }) => provider))];
  const price = model.price ?? candidates[0]?.price;
  return {
    id: model.id,
    name: model.name,
    owned_by: model.ownedBy,
    types: model.types,
    context_length: model.contextLength || null,
    max_output_tokens: model.maxOutputTokens || null,
    // Built-in models cost what the models they call cost.
    prices: price && !isOwn(own, model) ? viewPrices(price) : null,
    capabilities: abilitiesOf(model, supportedByAny(candidates.filter(isChat))),
    providers,
    unavailable: providers.filter((name) =>
      asked.every(({ provider, health }) => provider !== name || health.circuit === 'open'),
    ),
    members: membersOf(deps, caller, own, model) ?? [],
    health: viewHealth(sharedHealth(asked.map(({ health }) => health))),
  };
}

const isChat = ({ type }: Candidate): boolean => type === 'chat';

const isOwn = (own: readonly ModelListing[], { id }: ModelListing): boolean => own.some((model) => model.id === id);

/** The members of an alias. */
const membersOf = ({ catalog }: OfferDeps, { group }: Caller, own: readonly ModelListing[], model: ModelListing) =>
  isOwn(own, model) ? undefined : catalog.membersOf(model.id, group);

/** All providers of a model, of any type; for an alias those of all members. */
function candidatesOf(
  deps: OfferDeps,
  caller: Caller,
  own: readonly ModelListing[],
  model: ModelListing,
): readonly Candidate[] {
  if (isOwn(own, model)) return [];
  const { catalog } = deps;
  const { group } = caller;
  return (membersOf(deps, caller, own, model) ?? [model.id]).flatMap((id) => {
    const types = catalog.model(id, group)?.types ?? [];
    // Names that are only in a channel's list have no type.
    return types.length === 0
      ? catalog.legacyCandidatesFor(id, 'chat', group)
      : types.flatMap((type) => catalog.candidatesFor(id, type, group));
  });
}

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;

const viewHealth = (health: ReturnType<typeof sharedHealth>) =>
  health && {
    circuit_state: health.circuit,
    requests_last_hour: health.samples,
    success_rate_last_hour: rounded(health.successRate),
  };

const offerOf = ({ channel, modelId, type, price, contextLength, maxOutputTokens }: Candidate, health: Health) => ({
  provider: channel.provider,
  channel_id: channel.id,
  model_id: modelId,
  type,
  prices: viewPrices(price),
  context_length: contextLength || null,
  max_output_tokens: maxOutputTokens || null,
  health: viewHealth(health)!,
  p50_latency_ms: health.latencyP50Ms,
  p50_ttft_ms: health.ttftP50Ms,
  tokens_per_second: health.throughput === null ? null : rounded(health.throughput),
});
