import type { Sealer } from '../../lib/seal.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Shared } from '../../platform/shared/port.ts';
import type { Candidate, Channel, ModelType } from '../candidate.ts';
import { hasKeyFor } from '../keyed-candidates.ts';
import { legacyCandidate } from '../legacy.ts';
import { keyOpener, openedOnce } from './channel-keys.ts';
import type { ModelListing } from './listing.ts';
import type { ProviderModelSeed } from './seed.ts';
import { buildSnapshot, type DemoMode, type Snapshot, type View } from './snapshot.ts';
import { listAliases } from './store/aliases.ts';
import { listChannels } from './store/channels.ts';
import { listCredentials } from './store/credentials.ts';
import { listProviderModels } from './store/provider-models.ts';
import { catalogVersion } from './store/version.ts';

export interface CatalogOptions {
  db: Db;
  shared: Shared;
  sealer: Sealer;
  demo: DemoMode;
  /** Models of the built-in provider. */
  builtIn: readonly ProviderModelSeed[];
  /** Option `DefaultModelPrice`: USD per million tokens for models of legacy routing. */
  defaultPrice?: () => number;
  /** How often the version is polled, in case a message was lost. */
  pollMs?: number;
  /** Reports problems that no caller sees: a credential that cannot be decrypted, a failed reload. */
  onTrouble?: (message: string, error: unknown) => void;
}

/** Every lookup is synchronous and answers from one immutable snapshot. */
export interface Catalog {
  /** Enabled provider models of that name and type, best ranked first; empty if there are none. */
  candidatesFor(modelId: string, type: ModelType, group: string): readonly Candidate[];
  /**
   * Enabled channels that list a name without a provider model, best ranked first: upstream name = public name, price =
   * `DefaultModelPrice`.
   */
  legacyCandidatesFor(modelId: string, type: ModelType, group: string): readonly Candidate[];
  models(group: string): readonly ModelListing[];
  model(modelId: string, group: string): ModelListing | undefined;
  /**
   * Resolves a name to a public id: the id itself, else the only `<vendor>/<name>`, else the first model of an alias;
   * null if there is none.
   */
  resolve(name: string, group: string): string | null;
  /** Public ids of an alias's models, in the order to try them; undefined for any other name. */
  membersOf(alias: string, group: string): readonly string[] | undefined;
  aliases(group: string): readonly ModelListing[];
  /** Whether the built-in provider is offered. */
  builtInActive(): boolean;
  readonly demo: DemoMode;
  readonly version: number;
  /** Call after a committed change: reloads, and notifies other processes. */
  changed(): Promise<void>;
  reload(): Promise<void>;
  close(): Promise<void>;
}

const channelName = 'catalog';
const none: readonly never[] = Object.freeze([]);

export async function openCatalog(options: CatalogOptions): Promise<Catalog> {
  const { db, shared, onTrouble = () => {} } = options;
  const secrets = openedOnce(options.sealer);
  let snapshot = await load(options, secrets.next());
  const refresh = oneAtATime(async () => {
    snapshot = await load(options, secrets.next());
  });
  const reload = (): Promise<void> => refresh().catch((error) => onTrouble('the catalog could not be reloaded', error));
  const reloadIfOld = async (): Promise<void> => {
    try {
      if ((await catalogVersion(db)) !== snapshot.version) await refresh();
    } catch (error) {
      onTrouble('the catalog could not be compared', error);
    }
  };
  const unsubscribe = await shared.subscribe(
    channelName,
    () => void reloadIfOld(),
    () => void reloadIfOld(),
  );
  const timer = setInterval(() => void reloadIfOld(), options.pollMs ?? 5_000);
  timer.unref();

  const legacyCandidates = legacyCache(options.defaultPrice ?? (() => 0));
  const view = (group: string): View => snapshot.views.get(group) ?? snapshot.shared;
  return {
    candidatesFor: (modelId, type, group) => view(group).candidates.get(modelId)?.[type] ?? none,
    legacyCandidatesFor: (modelId, type, group) => {
      const channels = view(group).legacy.get(modelId);
      return channels ? legacyCandidates(channels, modelId, type) : none;
    },
    models: (group) => view(group).listing,
    model: (modelId, group) => view(group).byId.get(modelId),
    resolve: (name, group) => {
      const { byId, shortNames, aliases } = view(group);
      return byId.has(name) ? name : (shortNames.get(name) ?? aliases.members.get(name)?.[0] ?? null);
    },
    membersOf: (alias, group) => view(group).aliases.members.get(alias),
    aliases: (group) => view(group).aliases.listing,
    builtInActive: () => snapshot.builtInActive,
    demo: options.demo,
    get version() {
      return snapshot.version;
    },
    changed: async () => {
      await reload();
      // The change is committed: if the message is lost, other processes see it at their next poll.
      await shared.publish(channelName, String(snapshot.version)).catch((error) => {
        onTrouble('a catalog change could not be announced', error);
      });
    },
    reload,
    close: async () => {
      clearInterval(timer);
      await unsubscribe();
    },
  };
}

async function load({ db, builtIn, demo, onTrouble }: CatalogOptions, sealer: Pick<Sealer, 'open'>): Promise<Snapshot> {
  // Read the version first: a change in between makes this snapshot look older than it is, never newer.
  const version = await catalogVersion(db);
  const channels = await listChannels(db);
  const models = await listProviderModels(db);
  const aliases = await listAliases(db);
  const open = keyOpener(sealer, await listCredentials(db), onTrouble);
  return buildSnapshot({ version, channels, models, aliases, builtIn, demo, open });
}

/** Calls during a run share the next run, so that each caller sees what was committed before its call. */
function oneAtATime(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const start = (): Promise<void> => {
    running = run().finally(() => {
      running = null;
    });
    return running;
  };
  return () => {
    if (!running) return start();
    next ??= running
      .catch(() => {})
      .then(() => {
        next = null;
        return start();
      });
    return next;
  };
}

/** Built once per channel list, model and type; evicted with the snapshot the lists belong to. */
function legacyCache(defaultPrice: () => number) {
  let cache = new WeakMap<readonly Channel[], Map<string, readonly Candidate[]>>();
  let usd = Number.NaN;
  return (channels: readonly Channel[], modelId: string, type: ModelType): readonly Candidate[] => {
    const now = defaultPrice();
    if (now !== usd) {
      usd = now;
      cache = new WeakMap();
    }
    const byName = cache.get(channels) ?? new Map<string, readonly Candidate[]>();
    cache.set(channels, byName);
    const key = `${type} ${modelId}`;
    const known = byName.get(key);
    if (known) return known;
    const price = { promptPrice: usd, completionPrice: usd, requestPrice: 0 };
    const usable = channels.filter((channel) => hasKeyFor(type, channel));
    const made = Object.freeze(usable.map((channel) => legacyCandidate(channel, modelId, type, price)));
    byName.set(key, made);
    return made;
  };
}
