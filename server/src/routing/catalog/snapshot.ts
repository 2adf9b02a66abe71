import { demoVendor } from '../../lib/vendors/table.ts';
import { type Candidate, type Channel, candidateKey, type ModelType } from '../candidate.ts';
import { hasKeyFor } from '../keyed-candidates.ts';
import { type Aliases, aliasesIn } from './alias-view.ts';
import type { ChannelKeys } from './channel-keys.ts';
import { listingOf, type ModelListing } from './listing.ts';
import { leanPrice } from './prices-field.ts';
import type { ProviderModelSeed } from './seed.ts';
import type { AliasRecord } from './store/aliases.ts';
import type { ChannelRecord } from './store/channels.ts';
import type { ProviderModelRecord } from './store/provider-models.ts';
import { enabled } from './store/tables.ts';

export interface SnapshotInput {
  version: number;
  channels: readonly ChannelRecord[];
  models: readonly ProviderModelRecord[];
  aliases: readonly AliasRecord[];
  builtIn: readonly ProviderModelSeed[];
  demo: DemoMode;
  /** Decrypts its credentials; null excludes the channel. */
  open(channel: ChannelRecord): ChannelKeys | null;
}

export type DemoMode = 'auto' | 'on' | 'off';

/** What callers of one group see. Arrays are precomputed, so that a lookup allocates nothing. */
export interface View {
  candidates: ReadonlyMap<string, Partial<Record<ModelType, readonly Candidate[]>>>;
  /** Channels of legacy routing by model; has no names with candidates. */
  legacy: ReadonlyMap<string, readonly Channel[]>;
  listing: readonly ModelListing[];
  byId: ReadonlyMap<string, ModelListing>;
  /** Model name without its vendor → public id, if only one vendor has it. */
  shortNames: ReadonlyMap<string, string>;
  aliases: Aliases;
}

export interface Snapshot {
  version: number;
  builtInActive: boolean;
  /** By group; callers of a group without its own channels see `shared`. */
  views: ReadonlyMap<string, View>;
  shared: View;
}

/** Channels of this group serve all callers; those of another group only its members. */
export const sharedGroup = 'default';

/** Has no row: the built-in provider needs no credential and cannot be edited. */
export const builtInChannel: Channel = {
  id: 0,
  name: demoVendor.name,
  provider: demoVendor.id,
  kind: demoVendor.kind,
  baseUrl: demoVendor.baseUrl,
  credential: '',
  priority: 0,
  weight: 1,
  group: sharedGroup,
  timeoutMs: 60_000,
};

interface Offer {
  candidate: Candidate;
  name?: string | undefined;
  createdAt: number;
}

export function buildSnapshot(input: SnapshotInput): Snapshot {
  const live = input.channels.filter((channel) => channel.status === enabled);
  const channels = new Map<number, Channel>();
  for (const record of live) {
    const keys = input.open(record);
    if (keys !== null) channels.set(record.id, channelOf(record, keys));
  }
  const offers = offersOf(input.models, channels);
  const legacy = live.flatMap((record) => {
    const channel = channels.get(record.id);
    return channel ? record.models.map((model) => ({ model, channel, createdAt: record.createdAt })) : [];
  });
  // Channels without models do not replace the built-in provider: there would be no model left at all.
  const serving = [...offers.map(({ candidate }) => candidate.channel), ...legacy.map(({ channel }) => channel)];
  const builtInActive = input.demo === 'on' || (input.demo === 'auto' && serving.every(({ kind }) => kind === 'demo'));
  if (builtInActive) offers.push(...input.builtIn.map(builtInOffer));
  const viewFor = (group: string): View => {
    const sees = (channel: Channel) => channel.group === sharedGroup || channel.group === group;
    return buildView(
      offers.filter((offer) => sees(offer.candidate.channel)),
      legacy.filter((entry) => sees(entry.channel)),
      input.aliases,
    );
  };
  const shared = viewFor(sharedGroup);
  const groups = new Set([...channels.values()].map((channel) => channel.group));
  groups.delete(sharedGroup);
  return {
    version: input.version,
    builtInActive,
    views: new Map([...groups].map((group) => [group, viewFor(group)])),
    shared,
  };
}

const channelOf = (record: ChannelRecord, keys: ChannelKeys): Channel => ({
  id: record.id,
  name: record.name,
  provider: record.provider,
  kind: record.kind,
  baseUrl: record.baseUrl,
  ...keys,
  priority: record.priority,
  weight: record.weight,
  group: record.group,
  timeoutMs: record.timeoutMs,
});

function offersOf(models: readonly ProviderModelRecord[], channels: ReadonlyMap<number, Channel>): Offer[] {
  return models.flatMap((model) => {
    const channel = channels.get(model.channelId);
    if (!channel || model.status !== enabled || !hasKeyFor(model.type, channel)) return [];
    return [{ candidate: candidateOf(channel, model, model.capabilities), createdAt: model.createdAt }];
  });
}

/** A fixed date before any row. */
const builtInSince = 1_700_000_000;

const builtInOffer = (seed: ProviderModelSeed): Offer => ({
  candidate: candidateOf(builtInChannel, seed, seed.capabilities ?? {}),
  name: seed.name,
  createdAt: builtInSince,
});

function candidateOf(
  channel: Channel,
  model: Omit<ProviderModelSeed, 'capabilities'>,
  capabilities: Record<string, unknown>,
): Candidate {
  return {
    key: candidateKey(channel.provider, model.modelId, channel.id),
    channel,
    modelId: model.modelId,
    modelName: model.modelName,
    type: model.type,
    price: leanPrice(model),
    contextLength: model.contextLength,
    maxOutputTokens: model.maxOutputTokens,
    qualityScore: model.qualityScore,
    capabilities,
  };
}

type LegacyEntry = { model: string; channel: Channel; createdAt: number };

const byRank = (a: Channel, b: Channel): number => b.priority - a.priority || b.weight - a.weight || a.id - b.id;

function buildView(
  offers: readonly Offer[],
  legacyEntries: readonly LegacyEntry[],
  aliases: readonly AliasRecord[],
): View {
  const offersById = Map.groupBy(offers, (offer) => offer.candidate.modelId);
  const legacyById = Map.groupBy(
    legacyEntries.filter((entry) => !offersById.has(entry.model)),
    (entry) => entry.model,
  );
  const candidates = new Map<string, Partial<Record<ModelType, readonly Candidate[]>>>();
  const legacy = new Map<string, readonly Channel[]>();
  const listing: ModelListing[] = [];
  for (const [id, list] of offersById) {
    const sorted = list.map((offer) => offer.candidate).sort((a, b) => byRank(a.channel, b.channel));
    const byType = Object.groupBy(sorted, (candidate) => candidate.type);
    for (const group of Object.values(byType)) Object.freeze(group);
    candidates.set(id, byType);
    const created = Math.min(...list.map((offer) => offer.createdAt));
    listing.push(listingOf(id, sorted, created, list.find((offer) => offer.name)?.name));
  }
  for (const [id, list] of legacyById) {
    const channels = [...new Set(list.map((entry) => entry.channel))].sort(byRank);
    legacy.set(id, Object.freeze(channels));
    const created = Math.min(...list.map((entry) => entry.createdAt));
    listing.push(listingOf(id, [], created, undefined, channels[0]!.provider));
  }
  listing.sort((a, b) => (a.id < b.id ? -1 : 1));
  const byId = new Map(listing.map((model) => [model.id, model]));
  const shortNames = shortNamesOf(byId);
  return {
    ...{ candidates, legacy, listing: Object.freeze(listing), byId, shortNames },
    aliases: aliasesIn(aliases, byId, shortNames),
  };
}

function shortNamesOf(byId: ReadonlyMap<string, ModelListing>): Map<string, string> {
  const vendors = Map.groupBy(
    [...byId.keys()].filter((id) => id.includes('/')),
    (id) => id.slice(id.indexOf('/') + 1),
  );
  const names = new Map<string, string>();
  for (const [short, ids] of vendors) {
    if (ids.length === 1 && !byId.has(short)) names.set(short, ids[0]!);
  }
  return names;
}
