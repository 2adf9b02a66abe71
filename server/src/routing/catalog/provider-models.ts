import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Price } from '../../lib/money.ts';
import type { CatalogContext } from './channels.ts';
import { abilitiesOf, priceOf } from './price-list.ts';
import { leanPrice } from './prices-field.ts';
import { findChannel } from './store/channels.ts';
import * as store from './store/provider-models.ts';
import { disabled, enabled } from './store/tables.ts';
import { bumpVersion } from './store/version.ts';

export async function addProviderModel(
  room: CatalogContext,
  fields: store.ProviderModelFields,
): Promise<store.ProviderModelRecord> {
  const outcome = await store.createProviderModel(room.db, fields, nowSeconds(room.clock));
  return settled(room, outcome, 'this provider model does not exist');
}

/** Fields that are not given stay. */
export async function changeProviderModel(
  room: CatalogContext,
  id: number,
  given: Partial<store.ProviderModelFields>,
): Promise<store.ProviderModelRecord> {
  const merge = (old: store.ProviderModelRecord): store.ProviderModelFields => ({ ...old, ...given });
  const outcome = await store.updateProviderModel(room.db, id, merge, nowSeconds(room.clock));
  return settled(room, outcome, `there is no provider model ${id}`);
}

/** Changes prices and states of several models of a channel: all of them or none. */
export async function changeModelsOf(
  room: CatalogContext,
  channelId: number,
  changes: Parameters<typeof store.updateModelsOf>[2],
): Promise<store.ProviderModelRecord[]> {
  if (!(await findChannel(room.db, channelId))) throw new AppError('not_found', `there is no channel ${channelId}`);
  const outcome = await store.updateModelsOf(room.db, channelId, changes, nowSeconds(room.clock));
  if ('missing' in outcome) {
    const message = `models: this channel has no provider model ${outcome.missing}`;
    throw new AppError('invalid_value', message, { param: 'models' });
  }
  await room.catalog.changed();
  return outcome.models;
}

async function settled(
  room: CatalogContext,
  outcome: store.UpdateOutcome,
  missing: string,
): Promise<store.ProviderModelRecord> {
  if (outcome === 'not_found') throw new AppError('not_found', missing);
  if (outcome === 'no_channel') {
    throw new AppError('invalid_value', 'channel_id: this channel does not exist', { param: 'channel_id' });
  }
  if (outcome === 'duplicate') {
    throw new AppError('conflict', 'model_id: this channel already serves that model', { param: 'model_id' });
  }
  await room.catalog.changed();
  return outcome.model;
}

export async function removeProviderModel(room: CatalogContext, id: number): Promise<void> {
  if (!(await store.deleteProviderModel(room.db, id)))
    throw new AppError('not_found', `there is no provider model ${id}`);
  await room.catalog.changed();
}

/** A model that an upstream lists; what the upstream does not say is looked up. */
export interface DiscoveredModel {
  /** Upstream name. */
  name: string;
  type?: store.ProviderModelFields['type'];
  price?: Price;
  contextLength?: number;
  maxOutputTokens?: number;
}

export interface SyncResult {
  added: store.ProviderModelRecord[];
  /** How many of the added ones have no price yet. */
  unpriced: number;
  /** Already known and unchanged, except for the completed ones. */
  kept: number;
  /** Known at the list price, and now also with the list's prices of parts. */
  completed: number;
  /** No longer offered by the upstream; disabled if `missing` is `disable`. */
  missing: store.ProviderModelRecord[];
}

/** Providers on the operator's own machines: models without a price are free there. */
const ownMachines = new Set(['ollama']);

/**
 * Updates a channel's models from its upstream's list. Existing rows keep their prices; prices of parts and
 * capabilities are filled in if they were never set. A model without a known price is added disabled, because it would
 * be free otherwise.
 */
export async function syncProviderModels(
  room: CatalogContext,
  channel: { id: number; provider: string },
  discovered: readonly DiscoveredModel[],
  { missing: onMissing = 'keep' }: { missing?: 'keep' | 'disable' } = {},
): Promise<SyncResult> {
  const now = nowSeconds(room.clock);
  const result = await room.db.transaction().execute(async (tx): Promise<SyncResult> => {
    // Lock first, like every change of the catalog, so that the channel is not deleted while its models are added.
    await bumpVersion(tx);
    if (!(await findChannel(tx, channel.id))) throw new AppError('not_found', `there is no channel ${channel.id}`);
    const existing = await store.listProviderModels(tx, { channelId: channel.id });
    const names = new Set(existing.map((model) => model.modelName));
    const ids = new Set(existing.map((model) => model.modelId));
    const offered = new Map(discovered.map((model) => [model.name, model]));
    const fresh = [...offered.values()]
      .filter((model) => !names.has(model.name))
      .map((model) => fieldsOf(channel, model))
      .filter((fields) => !ids.has(fields.modelId));
    const added = await store.insertProviderModels(tx, fresh, now);
    const missing = existing.filter((model) => !offered.has(model.modelName) && model.status === enabled);
    if (onMissing === 'disable') {
      await store.setProviderModelStatus(
        tx,
        missing.map((model) => model.id),
        disabled,
        now,
      );
    }
    const completed = incomplete(existing, (model) =>
      listPrice(channel, offered.get(model.modelName) ?? { name: model.modelName }),
    );
    for (const { id, price } of completed) await store.setProviderModelParts(tx, id, price, now);
    for (const { id, capabilities } of unflagged(existing, channel.provider))
      await store.setProviderModelCapabilities(tx, id, capabilities, now);
    const unpriced = added.filter((model) => model.status === disabled).length;
    return { added, unpriced, kept: offered.size - added.length, completed: completed.length, missing };
  });
  await room.catalog.changed();
  return result;
}

/**
 * A model as the upstream describes it, completed by what the list knows. Without a price it is disabled, because it
 * would be free.
 */
export function fieldsOf(channel: { id: number; provider: string }, model: DiscoveredModel): store.ProviderModelFields {
  const known = priceOf(channel.provider, model.name);
  const price = listPrice(channel, model);
  // A dated snapshot must not take the public name of its model.
  const ownId = model.name.includes('/') ? model.name : `${channel.provider}/${model.name}`;
  return {
    modelId: known && known.modelName === model.name ? known.modelId : ownId,
    channelId: channel.id,
    modelName: model.name,
    type: model.type ?? known?.type ?? guessType(model.name),
    ...(price ? leanPrice(price) : free),
    contextLength: model.contextLength ?? known?.contextLength ?? 0,
    maxOutputTokens: model.maxOutputTokens ?? known?.maxOutputTokens ?? 0,
    status: price || ownMachines.has(channel.provider) ? enabled : disabled,
    qualityScore: known?.qualityScore ?? 1,
    capabilities: known?.capabilities ?? { ...abilitiesOf(channel.provider, model.name) },
  };
}

const free: Price = { promptPrice: 0, completionPrice: 0, requestPrice: 0 };

const samePlain = (a: Price, b: Price): boolean =>
  a.promptPrice === b.promptPrice && a.completionPrice === b.completionPrice && a.requestPrice === b.requestPrice;

const saysMore = ({ searchPrice, parts, tiers }: Price): boolean =>
  searchPrice !== undefined || parts !== undefined || tiers !== undefined;

/** The upstream's price, else the one of our list; the list also adds parts that the upstream does not mention. */
function listPrice(channel: { provider: string }, { name, price }: DiscoveredModel): Price | null {
  const known = priceOf(channel.provider, name);
  if (!price) return known;
  const told = saysMore(price);
  return !told && known && samePlain(price, known) ? known : price;
}

/** Models at list price without further prices, together with those the list has. */
const incomplete = (
  models: readonly store.ProviderModelRecord[],
  priceIn: (model: store.ProviderModelRecord) => Price | null,
): { id: number; price: Price }[] =>
  models.flatMap((model) => {
    if (saysMore(model)) return [];
    const price = priceIn(model);
    return price && saysMore(price) && samePlain(model, price) ? [{ id: model.id, price }] : [];
  });

/** Chat models whose capabilities were never set but are in the vendor's table; an operator's settings stay. */
const unflagged = (models: readonly store.ProviderModelRecord[], provider: string) =>
  models.flatMap(({ id, type, modelName, capabilities }) => {
    const able = type === 'chat' ? abilitiesOf(provider, modelName) : {};
    const isNews = Object.keys(able).some((flag) => !(flag in capabilities));
    return isNews ? [{ id, capabilities: { ...able, ...capabilities } }] : [];
  });

/** Upstream lists rarely include a model's type, but its name nearly always tells. First match wins. */
const typeWords: [RegExp, store.ProviderModelFields['type']][] = [
  [/embed/, 'embedding'],
  [/rerank/, 'rerank'],
  [/moderation|guard/, 'moderation'],
  [/realtime/, 'realtime'],
  [/whisper|transcri/, 'transcription'],
  [/tts|speech|orpheus/, 'speech'],
  [/veo|sora|video|seedance|kling/, 'video'],
  [/image|imagen|dall-e|flux|diffusion/, 'image'],
];

export const guessType = (name: string): store.ProviderModelFields['type'] =>
  typeWords.find(([words]) => words.test(name.toLowerCase()))?.[1] ?? 'chat';
