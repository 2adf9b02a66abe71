import { vendors } from '../lib/vendors/table.ts';
import { priceOf } from '../routing/catalog/price-list.ts';
import { type DiscoveredModel, fieldsOf } from '../routing/catalog/provider-models.ts';
import { enabled } from '../routing/catalog/store/tables.ts';
import type { ModelIntake } from './intake.ts';

/** Whose entry in the price list tells of a model: the provider's own, else that of the first vendor who has it. */
export const listedBy = (provider: string, modelName: string): string =>
  [provider, ...vendors.map(({ id }) => id)].find((id) => priceOf(id, modelName)) ?? provider;

/**
 * A model by the name that clients ask for. What the other gateway does not say is looked up; what it can do only for the
 * vendor itself, since a reseller has a name and a price, but not every endpoint.
 */
export function modelOf(provider: string, modelId: string, model: DiscoveredModel): ModelIntake {
  const { channelId: _, ...fields } = fieldsOf({ id: 0, provider: listedBy(provider, model.name) }, model);
  const { capabilities, status } = fieldsOf({ id: 0, provider }, model);
  return { ...fields, modelId, capabilities, status: fields.status === enabled ? enabled : status };
}
