import { vendors } from '../lib/vendors/table.ts';
import { priceOf } from '../routing/catalog/price-list.ts';
import { type DiscoveredModel, fieldsOf } from '../routing/catalog/provider-models.ts';
import { enabled } from '../routing/catalog/store/tables.ts';
import type { ModelIntake } from './imported-data.ts';

/** Whose price list entry describes a model: the provider's own, else the first vendor's that has it. */
export const listedBy = (provider: string, modelName: string): string =>
  [provider, ...vendors.map(({ id }) => id)].find((id) => priceOf(id, modelName)) ?? provider;

/**
 * A model under its public name. Missing prices are looked up; capabilities only for the vendor itself, since a
 * reseller may lack endpoints.
 */
export function modelOf(provider: string, modelId: string, model: DiscoveredModel): ModelIntake {
  const { channelId: _, ...fields } = fieldsOf({ id: 0, provider: listedBy(provider, model.name) }, model);
  const { capabilities, status } = fieldsOf({ id: 0, provider }, model);
  return { ...fields, modelId, capabilities, status: fields.status === enabled ? enabled : status };
}
