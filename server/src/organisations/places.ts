import { type LevelName, type Levels, levelNames } from '../billing/levels.ts';
import { AppError } from '../lib/errors.ts';
import { after } from '../lib/maybe-promise.ts';
import type { Db } from '../platform/db/tables.ts';
import { always, openBudgets } from './open-budgets.ts';
import { enabled, has } from './rights.ts';
import { organisationTag, type Room } from './room.ts';
import { budgetsAt, type LevelPlace, limitsAt } from './store/budgets.ts';
import { findKeyPlace, type KeyPlace } from './store/keys.ts';
import type { BudgetRow, LimitRow } from './store/tables.ts';
import { type Windowed, WindowedLookup } from './windowed-lookup.ts';

/** Where a key stands, and all that holds there. */
interface Place extends Windowed {
  keyId: number;
  /** Of the organisation; null where there is none. */
  accountId: number | null;
  /** Null for keys that belong to no organisation. */
  standing: PlaceStanding | null;
}

export interface PlaceStanding {
  organisationId: number;
  /** Null where the key is in no team. */
  teamId: number | null;
  /** Why the key may not be used any more. */
  refusal: string | null;
  levels: Levels;
  limits: readonly Limits[];
}

/** What one level allows besides money. */
export interface Limits {
  level: LevelName;
  levelId: number;
  /** 0 for none. */
  requestsPerMinute: number;
  tokensPerMinute: number;
  /** Empty means all. */
  models: ReadonlySet<string>;
  providers: ReadonlySet<string>;
}

/** Places of keys from memory, loaded with everything in a few statements when they are not there. */
export class Places {
  readonly #lookup: WindowedLookup<Place>;

  constructor(room: Pick<Room, 'db' | 'clock' | 'hearing' | 'announcements'>) {
    this.#lookup = new WindowedLookup(room, {
      load: loadPlace,
      tagsOf: ({ keyId, accountId, standing }) => [
        `key:${keyId}`,
        ...(accountId === null ? [] : [`user:${accountId}`]),
        ...(standing ? [organisationTag(standing.organisationId)] : []),
      ],
    });
  }

  /** Null outside of organisations. Throws what must not go on. */
  of(keyId: number): PlaceStanding | null | Promise<PlaceStanding | null> {
    return after(this.#lookup.of(keyId), usable);
  }
}

function usable({ standing }: Place): PlaceStanding | null {
  if (standing && standing.refusal !== null) throw new AppError('invalid_api_key', standing.refusal);
  return standing;
}

/** Why a key counts no more though it is there; null while it does. */
function refusalOf(place: KeyPlace): string | null {
  const { account_id, account_status, team_id, found_team, member_id, role, in_team } = place;
  if (account_id === null) return 'The organisation of this API key was deleted.';
  // Whoever pays, an administrator has stopped all that goes on in it.
  if (account_status !== enabled) return 'The organisation of this API key is disabled.';
  if (team_id !== null && found_team === null) return 'The team of this API key was deleted.';
  if (member_id === null) return null;
  if (role === null) return 'Whoever this API key belongs to has left its organisation.';
  if (!has(role, 'use')) return 'Whoever this API key belongs to may not use models in its organisation.';
  return team_id !== null && in_team === null ? 'Whoever this API key belongs to has left its team.' : null;
}

async function loadPlace(db: Db, keyId: number, now: number): Promise<Place> {
  const found = await findKeyPlace(db, keyId);
  if (!found) return { keyId, accountId: null, standing: null, ...always };
  const { organisation_id: organisationId, team_id: teamId, account_id, member_id, balance, time_zone } = found;
  const refusal = refusalOf(found);
  if (refusal !== null || account_id === null || time_zone === null) {
    const levels = { payerId: 0, budgets: [] };
    return {
      keyId,
      accountId: account_id,
      standing: { organisationId, teamId, refusal, levels, limits: [] },
      ...always,
    };
  }
  const places = placesOf(keyId, found);
  const budgets = narrowestFirst(await budgetsAt(db, organisationId, places));
  const { open, from, until } = await openBudgets(db, budgets, {
    ...{ timeZone: time_zone, now, levelOf: ({ level }) => level },
  });
  const limits = (await limitsAt(db, organisationId, places)).map(limitsOf);
  const payerId = member_id === null || balance === 'shared' ? account_id : member_id;
  const levels = { payerId, budgets: open };
  const standing = { organisationId, teamId, refusal: null, levels, limits };
  return { keyId, accountId: account_id, standing, from, until };
}

function placesOf(keyId: number, { organisation_id, team_id, member_id }: KeyPlace): LevelPlace[] {
  const places: LevelPlace[] = [{ level: 'key', level_id: keyId }];
  if (member_id !== null) places.push({ level: 'member', level_id: member_id });
  if (team_id !== null) places.push({ level: 'team', level_id: team_id });
  return [...places, { level: 'organisation', level_id: organisation_id }];
}

const depth = (level: LevelName): number => levelNames.indexOf(level);
const narrowestFirst = (budgets: BudgetRow[]): BudgetRow[] =>
  budgets.toSorted((a, b) => depth(a.level) - depth(b.level) || a.id - b.id);

const limitsOf = (row: LimitRow): Limits => ({
  level: row.level,
  levelId: row.level_id,
  requestsPerMinute: row.requests_per_minute,
  tokensPerMinute: row.tokens_per_minute,
  models: new Set(JSON.parse(row.models) as string[]),
  providers: new Set(JSON.parse(row.providers) as string[]),
});
