import type { Owners } from '../durable/owners.ts';
import type { Shared } from './port.ts';

/** Whether this process would hear of what others change. Whoever keeps a copy of a row asks before believing it. */
export interface Hearing {
  /** False while a change made elsewhere may go unheard: copies then live for a moment only. */
  heard(): boolean;
  /** Called when everybody is heard again: what was kept before may have changed in silence. */
  onGap(forget: () => void): void;
}

export interface Hears {
  shared: Pick<Shared, 'kind' | 'healthy'>;
  /** No other process writes the database, so there is nothing to hear. */
  soleWriter: boolean;
}

/** This process neither hears nor is heard: it has no Redis, or cannot reach it. */
export const isMute = ({ shared, soleWriter }: Hears): boolean =>
  !soleWriter && (shared.kind === 'memory' || !shared.healthy());

/**
 * Messages go through Redis; that one of the others cannot reach it is told by the database, where every process says with
 * each beat whether it is heard.
 */
export const openHearing = (hears: Hears, owners: Pick<Owners, 'someoneMute' | 'onAllHeard'>): Hearing => ({
  heard: () => !isMute(hears) && !owners.someoneMute,
  onGap: (forget) => owners.onAllHeard(forget),
});
