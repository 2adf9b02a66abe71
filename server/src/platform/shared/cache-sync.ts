import type { Owners } from '../durable/owners.ts';
import type { Shared } from './port.ts';

/** Whether this process would be notified of changes by others. Caches of rows ask before they trust an entry. */
export interface CacheSync {
  /** False while a change made elsewhere may go unnoticed: then cache entries live only a moment. */
  heard(): boolean;
  /** Called when all processes can be heard again: cached rows may have changed unnoticed. */
  onGap(forget: () => void): void;
}

export interface CacheSyncDeps {
  shared: Pick<Shared, 'kind' | 'healthy'>;
  /** No other process writes to the database, so there is nothing to be notified of. */
  soleWriter: boolean;
}

/** This process neither receives nor sends messages: it has no Redis, or cannot reach it. */
export const isDisconnected = ({ shared, soleWriter }: CacheSyncDeps): boolean =>
  !soleWriter && (shared.kind === 'memory' || !shared.healthy());

/**
 * Messages go through Redis. If another process cannot reach it, the database tells: every process reports with each
 * heartbeat whether its messages get through.
 */
export const openCacheSync = (hears: CacheSyncDeps, owners: Pick<Owners, 'anyMute' | 'onAllHeard'>): CacheSync => ({
  heard: () => !isDisconnected(hears) && !owners.anyMute,
  onGap: (forget) => owners.onAllHeard(forget),
});
