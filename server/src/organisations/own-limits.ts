import type { Levels } from '../billing/levels.ts';
import { nowSeconds } from '../lib/clock.ts';
import type { Db } from '../platform/db/tables.ts';
import { CachedLookup } from '../platform/shared/cached-lookup.ts';
import { always, openBudgets } from './open-budgets.ts';
import { organisationTag, type Room } from './room.ts';
import { budgetsAt } from './store/budgets.ts';
import { findPersonal } from './store/personal.ts';

/** Who has set themselves a limit, or has none any more: what is kept of it is no longer so. */
export const personTag = (userId: number): string => `person:${userId}`;

interface OwnLimits {
  userId: number;
  organisationId: number | null;
  /** Null for nearly everybody, who has set no limit. */
  levels: Levels | null;
  from: number;
  until: number;
}

/** What people let themselves spend, from memory like the places of keys. */
export class OwnLimitsLookup {
  readonly #cache: CachedLookup<OwnLimits>;

  constructor(readonly room: Pick<Room, 'db' | 'clock' | 'hearing' | 'announcements'>) {
    const { db, clock, hearing, announcements } = room;
    this.#cache = new CachedLookup<OwnLimits>({
      load: (userId) => load(db, Number(userId), nowSeconds(clock)),
      tagsOf: ({ userId, organisationId }) => [
        personTag(userId),
        ...(organisationId === null ? [] : [organisationTag(organisationId)]),
      ],
      max: 50_000,
      clock,
      hearing,
    });
    announcements.onChanged(
      (tag) => this.#cache.invalidate(tag),
      () => this.#cache.clear(),
    );
  }

  of(userId: number): Levels | null | Promise<Levels | null> {
    const found = this.#cache.get(`${userId}`);
    return found instanceof Promise ? found.then((own) => this.#current(own)) : this.#current(found);
  }

  #current(own: OwnLimits | null): Levels | null | Promise<Levels | null> {
    if (!own?.levels) return null;
    const now = nowSeconds(this.room.clock);
    if (now >= own.from && now < own.until) return own.levels;
    // A window has ended, or the clock went back.
    this.#cache.forget(`${own.userId}`);
    const again = this.#cache.get(`${own.userId}`);
    return again instanceof Promise ? again.then((loaded) => loaded?.levels ?? null) : (again?.levels ?? null);
  }
}

async function load(db: Db, userId: number, now: number): Promise<OwnLimits> {
  const own = await findPersonal(db, userId);
  if (!own) return { userId, organisationId: null, levels: null, ...always };
  const budgets = await budgetsAt(db, own.id, [{ level: 'organisation', level_id: own.id }]);
  const { open, from, until } = await openBudgets(db, budgets, {
    ...{ timeZone: own.time_zone, now, levelOf: () => 'person' as const },
  });
  const levels = open.length === 0 ? null : { payerId: userId, budgets: open };
  return { userId, organisationId: own.id, levels, from, until };
}
