import type { Levels } from '../billing/levels.ts';
import { thenMaybe } from '../lib/maybe-promise.ts';
import type { Db } from '../platform/db/tables.ts';
import { type OrganisationsContext, organisationTag } from './context.ts';
import { always, openBudgets } from './open-budgets.ts';
import { budgetsAt } from './store/budgets.ts';
import { findPersonal } from './store/personal.ts';
import { type Windowed, WindowedLookup } from './windowed-lookup.ts';

/** Invalidates what is cached of a user's own limit. */
export const personTag = (userId: number): string => `person:${userId}`;

interface OwnLimits extends Windowed {
  userId: number;
  organisationId: number | null;
  /** Null for users without a limit, which are most. */
  levels: Levels | null;
}

/** Personal spending limits, cached like the places of keys. */
export class OwnLimitsLookup {
  readonly #lookup: WindowedLookup<OwnLimits>;

  constructor(room: Pick<OrganisationsContext, 'db' | 'clock' | 'cacheSync' | 'announcements'>) {
    this.#lookup = new WindowedLookup(room, {
      load,
      tagsOf: ({ userId, organisationId }) => [
        personTag(userId),
        ...(organisationId === null ? [] : [organisationTag(organisationId)]),
      ],
    });
  }

  of(userId: number): Levels | null | Promise<Levels | null> {
    return thenMaybe(this.#lookup.of(userId), levelsIn);
  }
}

const levelsIn = ({ levels }: OwnLimits): Levels | null => levels;

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
