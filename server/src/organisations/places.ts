import { type LevelName, type Levels, levelNames } from '../billing/levels.ts';
import type { KeyPlace } from '../identity/key-lookup.ts';
import { statuses } from '../identity/user.ts';
import { AppError } from '../lib/errors.ts';
import { thenMaybe } from '../lib/maybe-promise.ts';
import type { Db } from '../platform/db/tables.ts';
import { type OrganisationsContext, organisationTag } from './context.ts';
import { always, openBudgets } from './open-budgets.ts';
import { has } from './rights.ts';
import { budgetsAt, type LevelPlace, limitsAt } from './store/budgets.ts';
import { type FoundPlace, findKeyPlace } from './store/keys.ts';
import type { BudgetRow, LimitRow } from './store/tables.ts';
import { type Windowed, WindowedLookup } from './windowed-lookup.ts';

/** Where a key belongs, and everything that applies there. */
interface Place extends Windowed {
  keyId: number;
  /** Null for keys outside organisations. */
  standing: PlaceStanding | null;
}

export interface PlaceStanding {
  organisationId: number;
  /** Invalidation tags. */
  tags: readonly string[];
  /** Null if the key is in no team. */
  teamId: number | null;
  /** Whether it is a member's own key. */
  isMembers: boolean;
  /** Why the key is no longer valid. */
  refusal: string | null;
  levels: Levels;
  limits: readonly Limits[];
}

/** What one level allows besides money. */
export interface Limits {
  level: LevelName;
  levelId: number;
  /** 0: none. */
  requestsPerMinute: number;
  tokensPerMinute: number;
  /** Empty: all. */
  models: ReadonlySet<string>;
  providers: ReadonlySet<string>;
}

/** Places of keys, cached; loaded in a few statements. */
export class Places {
  readonly #lookup: WindowedLookup<Place>;

  constructor(room: Pick<OrganisationsContext, 'db' | 'clock' | 'cacheSync' | 'announcements'>) {
    this.#lookup = new WindowedLookup(room, {
      load: loadPlace,
      tagsOf: ({ keyId, standing }) => [`key:${keyId}`, ...(standing?.tags ?? [])],
    });
  }

  /** The same for caches of key lookups. */
  placeOf(keyId: number): KeyPlace | Promise<KeyPlace> {
    return thenMaybe(this.#lookup.of(keyId), ({ standing }) => standing ?? nowhere);
  }

  /** Null outside organisations. Throws if the key is no longer valid. */
  of(keyId: number): PlaceStanding | null | Promise<PlaceStanding | null> {
    return thenMaybe(this.#lookup.of(keyId), usable);
  }
}

const nowhere: KeyPlace = { refusal: null, tags: [] };

function usable({ standing }: Place): PlaceStanding | null {
  if (standing && standing.refusal !== null) throw new AppError('invalid_api_key', standing.refusal);
  return standing;
}

/** Why an existing key is no longer valid; null if it is. */
function refusalOf({
  account_id,
  account_status,
  team_id,
  found_team,
  member_id,
  role,
  in_team,
}: FoundPlace): string | null {
  if (account_id === null) return 'The organisation of this API key was deleted.';
  if (account_status !== statuses.enabled) return 'The organisation of this API key is disabled.';
  if (team_id !== null && found_team === null) return 'The team of this API key was deleted.';
  if (member_id === null) return null;
  if (role === null) return 'The owner of this API key has left its organisation.';
  if (!has(role, 'use')) return 'The owner of this API key is not allowed to use models in its organisation.';
  return team_id !== null && in_team === null ? 'The owner of this API key has left its team.' : null;
}

async function loadPlace(db: Db, keyId: number, now: number): Promise<Place> {
  const found = await findKeyPlace(db, keyId);
  if (!found) return { keyId, standing: null, ...always };
  const { organisation_id: organisationId, team_id: teamId, account_id, member_id, balance, time_zone } = found;
  const refusal = refusalOf(found);
  const isMembers = member_id !== null;
  const tags = [organisationTag(organisationId), `user:${account_id}`];
  if (refusal !== null || account_id === null || time_zone === null) {
    const levels = { payerId: 0, budgets: [] };
    return { keyId, standing: { organisationId, tags, teamId, isMembers, refusal, levels, limits: [] }, ...always };
  }
  const places = placesOf(keyId, found);
  const budgets = narrowestFirst(await budgetsAt(db, organisationId, places));
  const { open, from, until } = await openBudgets(db, budgets, {
    ...{ timeZone: time_zone, now, levelOf: ({ level }) => level },
  });
  const limits = (await limitsAt(db, organisationId, places)).map(limitsOf);
  const payerId = member_id === null || balance === 'shared' ? account_id : member_id;
  const levels = { payerId, budgets: open };
  const standing = { organisationId, tags, teamId, isMembers, refusal: null, levels, limits };
  return { keyId, standing, from, until };
}

function placesOf(keyId: number, { organisation_id, team_id, member_id }: FoundPlace): LevelPlace[] {
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
