import { invalidatedLookup } from '../identity/announcements.ts';
import { nowSeconds } from '../lib/clock.ts';
import type { Db } from '../platform/db/tables.ts';
import type { CachedLookup } from '../platform/shared/cached-lookup.ts';
import type { OrganisationsContext } from './context.ts';

/** Valid while its budget windows are open. */
export interface Windowed {
  from: number;
  until: number;
}

interface WindowedOptions<V> {
  load(db: Db, id: number, now: number): Promise<V>;
  /** Invalidation tags. */
  tagsOf(value: V): string[];
}

/** A cache for values that depend on budget windows: invalidated by message and by the calendar. */
export class WindowedLookup<V extends Windowed> {
  readonly #cache: CachedLookup<V>;

  constructor(
    readonly room: Pick<OrganisationsContext, 'db' | 'clock' | 'cacheSync' | 'announcements'>,
    { load, tagsOf }: WindowedOptions<V>,
  ) {
    this.#cache = invalidatedLookup<V>({
      ...{ ...room, tagsOf, max: 50_000 },
      load: (id) => load(room.db, Number(id), nowSeconds(room.clock)),
    });
  }

  of(id: number): V | Promise<V> {
    const known = this.#get(id);
    return known instanceof Promise ? this.#loaded(id, known) : this.#current(id, known);
  }

  async #loaded(id: number, loading: Promise<V>): Promise<V> {
    return this.#current(id, await loading);
  }

  #current(id: number, value: V): V | Promise<V> {
    const now = nowSeconds(this.room.clock);
    if (now >= value.from && now < value.until) return value;
    // A window has ended, or the clock went back.
    this.#cache.forget(`${id}`);
    return this.#get(id);
  }

  // Never null: absence is cached as a value.
  #get(id: number): V | Promise<V> {
    return this.#cache.get(`${id}`) as V | Promise<V>;
  }
}
