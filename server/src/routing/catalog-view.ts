import type { Db } from '../platform/db/tables.ts';
import type { Candidate, ModelType } from './candidate.ts';
import type { Catalog } from './catalog/catalog.ts';
import { builtInChannel, sharedGroup } from './catalog/snapshot.ts';
import { listChannels } from './catalog/store/channels.ts';

/** What routing needs from the catalog. Requests are answered from memory; the rest serves pages and start-up. */
export interface RoutingCatalog {
  /** Enabled provider models of a name and type, for callers of a group; empty if there are none. */
  candidatesFor(modelId: string, type: ModelType, group: string): readonly Candidate[];
  /** Enabled channels that list a name without a provider model. */
  legacyCandidatesFor(modelId: string, type: ModelType, group: string): readonly Candidate[];
  /** Every candidate that callers of a group can reach; of all groups if none is given. */
  allCandidates(group?: string): Promise<Candidate[]>;
  /** Names of all providers, including those of disabled channels. */
  providers(): Promise<Set<string>>;
  /** Whether any caller can reach it. */
  hasModel(modelId: string): Promise<boolean>;
}

type Source = Pick<Catalog, 'candidatesFor' | 'legacyCandidatesFor' | 'models' | 'model'>;

/** Legacy channels do not declare the types of their models; they are shown as this. */
const assumedType: ModelType = 'chat';

function* candidatesOf(catalog: Source, group: string): Iterable<Candidate> {
  for (const { id, types } of catalog.models(group)) {
    if (types.length === 0) yield* catalog.legacyCandidatesFor(id, assumedType, group);
    for (const type of types) yield* catalog.candidatesFor(id, type, group);
  }
}

export function catalogView(catalog: Source, db: Db): RoutingCatalog {
  const groups = async (): Promise<Set<string>> =>
    new Set([sharedGroup, ...(await listChannels(db)).map((channel) => channel.group)]);
  return {
    candidatesFor: catalog.candidatesFor,
    legacyCandidatesFor: catalog.legacyCandidatesFor,
    async allCandidates(group) {
      const byKey = new Map<string, Candidate>();
      for (const name of group === undefined ? await groups() : [group]) {
        for (const candidate of candidatesOf(catalog, name)) byKey.set(candidate.key, candidate);
      }
      return [...byKey.values()];
    },
    providers: async () =>
      new Set([builtInChannel.provider, ...(await listChannels(db)).map((channel) => channel.provider)]),
    hasModel: async (modelId) => [...(await groups())].some((group) => catalog.model(modelId, group) !== undefined),
  };
}
