import type { Clock } from '../lib/clock.ts';
import type { Db } from '../platform/db/tables.ts';
import type { CacheSync } from '../platform/shared/cache-sync.ts';
import { CachedLookup } from '../platform/shared/cached-lookup.ts';
import { LazySubscription } from '../platform/shared/lazy-subscription.ts';
import type { Shared } from '../platform/shared/port.ts';
import { findGrant } from './store/grants.ts';
import { findOwnGrant } from './store/own-grants.ts';
import { findServerByName, type McpServer } from './store/servers.ts';
import { type AllowedTool, allowedTool } from './store/tools.ts';

export interface McpCacheDeps {
  db: Db;
  clock: Clock;
  shared: Pick<Shared, 'publish' | 'subscribe'>;
  cacheSync: CacheSync;
}

const channel = 'mcp-servers';

/** The sealed grant of a user at a server, or of the service itself if there is no user. */
export interface CachedGrant {
  sealed: string;
}

const grantTag = (serverId: number, userId: number | null): string => `${serverId}/${userId ?? ''}`;

/**
 * Caches servers, allowed tools and grants, so that a warm call needs no database query. A change is announced to every
 * process and invalidates all entries of the server.
 */
export class McpCache {
  /** The operator's servers, by name. */
  readonly #servers: CachedLookup<McpServer>;
  /** By user and name: the user's own server, else the operator's. */
  readonly #named: CachedLookup<McpServer>;
  readonly #tools: CachedLookup<AllowedTool>;
  /** By server and user. */
  readonly #grants: CachedLookup<CachedGrant & { tags: string[] }>;
  /** Starts with the first lookup, since most installations have no servers. Nothing is cached before it is active. */
  readonly #listening = new LazySubscription(() =>
    this.deps.shared.subscribe(
      channel,
      (tag) => this.#forget(tag),
      () => this.#clear(),
    ),
  );

  constructor(private readonly deps: McpCacheDeps) {
    const { db, clock, cacheSync } = deps;
    const tagOf = (id: number) => [`${id}`];
    this.#servers = new CachedLookup({
      ...{ max: 1_000, clock, cacheSync },
      load: (name) => findServerByName(db, null, name),
      tagsOf: ({ id }) => tagOf(id),
    });
    this.#named = new CachedLookup({
      ...{ max: 50_000, clock, cacheSync },
      load: async (place) => {
        const [userId, name] = place.split('/') as [string, string];
        const own = await findServerByName(db, Number(userId), name);
        // Share one object among all users. If messages may be lost, read it directly: a cached entry would be trusted
        // for twice as long.
        return own ?? (cacheSync.heard() ? this.#servers.get(name) : findServerByName(db, null, name));
      },
      tagsOf: ({ id }) => tagOf(id),
    });
    this.#tools = new CachedLookup({
      ...{ max: 10_000, clock, cacheSync },
      load: async (place) => {
        const at = place.indexOf(' ');
        return (await allowedTool(db, Number(place.slice(0, at)), place.slice(at + 1))) ?? null;
      },
      tagsOf: ({ serverId }) => tagOf(serverId),
    });
    this.#grants = new CachedLookup({
      ...{ max: 10_000, clock, cacheSync },
      load: async (place) => {
        const [serverId, userId] = place.split('/') as [string, string];
        const sealed = await this.#sealedGrant(Number(serverId), userId === '' ? null : Number(userId));
        return sealed === null ? null : { sealed, tags: [serverId, place] };
      },
      tagsOf: ({ tags }) => tags,
    });
    cacheSync.onGap(() => this.#clear());
  }

  async #sealedGrant(serverId: number, userId: number | null): Promise<string | null> {
    const { db } = this.deps;
    return userId === null ? findOwnGrant(db, serverId) : ((await findGrant(db, serverId, userId))?.sealed ?? null);
  }

  /** Returns the same object while the cache entry is valid. */
  async grant(serverId: number, userId: number | null): Promise<CachedGrant | null> {
    if (this.#listening.begin()) return this.#grants.get(grantTag(serverId, userId));
    const sealed = await this.#sealedGrant(serverId, userId);
    return sealed === null ? null : { sealed };
  }

  /** Called after the grant was written. */
  grantChanged(serverId: number, userId: number | null): Promise<void> {
    return this.#announce(grantTag(serverId, userId));
  }

  /** The server that a user refers to by this name. */
  server(userId: number, name: string): McpServer | null | Promise<McpServer | null> {
    if (this.#listening.begin()) return this.#named.get(`${userId}/${name}`);
    return this.#readServer(userId, name);
  }

  async #readServer(userId: number, name: string): Promise<McpServer | null> {
    const { db } = this.deps;
    return (await findServerByName(db, userId, name)) ?? findServerByName(db, null, name);
  }

  /** By the server's own name for the tool. */
  tool(serverId: number, name: string): AllowedTool | null | Promise<AllowedTool | null> {
    if (this.#listening.begin() && name.length <= mostCharacters) return this.#tools.get(`${serverId} ${name}`);
    return allowedTool(this.deps.db, serverId, name).then((tool) => tool ?? null);
  }

  /** Called after a server or its tools were changed. */
  changed(id: number): Promise<void> {
    return this.#announce(`${id}`);
  }

  async #announce(tag: string): Promise<void> {
    this.#forget(tag);
    // Processes that miss the message trust their entries for only a second.
    await this.deps.shared.publish(channel, tag).catch(() => {});
  }

  #forget(tag: string): void {
    this.#named.invalidate(tag);
    this.#servers.invalidate(tag);
    this.#tools.invalidate(tag);
    this.#grants.invalidate(tag);
  }

  #clear(): void {
    this.#named.clear();
    this.#servers.clear();
    this.#tools.clear();
    this.#grants.clear();
  }

  stop(): Promise<void> {
    return this.#listening.stop();
  }
}

/** No tool has a longer name; lookups of impossible names are not cached. */
const mostCharacters = 128;
