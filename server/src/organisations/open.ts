import type { Levels, LevelsPort } from '../billing/levels.ts';
import { deleteEndedWindows } from '../billing/store/windows.ts';
import { nowhere } from '../identity/audit/log.ts';
import type { PlaceOfKey } from '../identity/key-lookup.ts';
import { nowSeconds } from '../lib/clock.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { thenMaybe } from '../lib/maybe-promise.ts';
import { inBatches, type PersonalData, sweepBatches } from '../platform/db/pages.ts';
import type { Call, Route } from '../platform/http/route.ts';
import type { KeyLimits } from '../routing/key-limits.ts';
import { Gate } from './admission.ts';
import { type TeamApplications, teamApplications } from './applications.ts';
import type { OrganisationsContext } from './context.ts';
import { forgetMember } from './members.ts';
import { Memberships } from './memberships.ts';
import { endOrganisation, requirePerson } from './organisations.ts';
import { OwnLimitsLookup } from './own-limits.ts';
import { forgetPersonal } from './personal.ts';
import { type PlaceStanding, Places } from './places.ts';
import { accountingRoutes } from './routes/accounting.ts';
import { applicationRoutes } from './routes/applications.ts';
import { budgetRoutes } from './routes/budgets.ts';
import { invitationRoutes } from './routes/invitations.ts';
import { keyLimitRoutes } from './routes/key-limits.ts';
import { keyRoutes } from './routes/keys.ts';
import { memberRoutes } from './routes/members.ts';
import { organisationRoutes } from './routes/organisations.ts';
import { type TeamKeyDeps, teamKeyRoutes } from './routes/own-keys.ts';
import { personalRoutes } from './routes/personal.ts';
import { directoryRoutes } from './routes/scim.ts';
import { teamRoutes } from './routes/teams.ts';
import { usageRoutes } from './routes/usage.ts';
import { type Directory, directoryOf } from './scim/caller.ts';
import { scimRoutes } from './scim/routes.ts';
import { exportOf } from './store/account-data.ts';
import { deleteExpiredInvitations } from './store/invitations.ts';
import { deleteKeysPlace } from './store/key-limits.ts';
import { namesOfOrganisations } from './store/organisations.ts';
import { deleteOldWarnings } from './store/warnings.ts';
import { Warnings } from './warnings.ts';

export interface Organisations extends KeyLimits {
  routes: Route[];
  /** For keys of teams at providers, which routing stores and the relay tests. */
  ownKeyRoutes(deps: TeamKeyDeps): Route[];
  /** For billing, which places each hold at every level. */
  levels: LevelsPort;
  /** Whether a key's place is still valid. */
  placeOf: PlaceOfKey;
  /** The team a key's requests belong to; null if there is none. */
  teamOf(keyId: number): number | null | Promise<number | null>;
  /** Whether it is a member's own key, not the team's. */
  isMembers(keyId: number): boolean | Promise<boolean>;
  applications: TeamApplications;
  /** Which company's directory is calling. */
  scim(call: Call): Promise<Directory>;
  /** For rooms that store something for organisations. */
  memberships: Memberships;
  exportOf(userId: number): PersonalData;
  forgetUser(userId: number): Promise<void>;
  /** Throws for an organisation's account. */
  requirePerson(userId: number): Promise<void>;
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

/** Ended windows and alerts: long after anything could be charged to them, with a year to look back on. */
const keptSeconds = 400 * 86_400;

const teamIn = (standing: PlaceStanding | null): number | null => standing?.teamId ?? null;

export function openOrganisations(room: OrganisationsContext): Organisations {
  const places = new Places(room);
  const gate = new Gate({ places, shared: room.shared });
  const warnings = new Warnings(room);
  const ownLimits = new OwnLimitsLookup(room);
  const applications = teamApplications(room);
  const memberships = new Memberships(room);
  room.audit.nameTargets('organisation', (ids) => namesOfOrganisations(room.db, ids));
  const note = (standing: PlaceStanding | null, tokens: number): void => {
    if (!standing) return;
    gate.used(standing, tokens);
    warnings.charged(standing.levels.budgets);
  };
  return {
    routes: [
      ...organisationRoutes(room, applications),
      ...teamRoutes(room),
      ...memberRoutes(room, memberships),
      ...invitationRoutes(room),
      ...keyRoutes(room),
      ...keyLimitRoutes(room),
      ...applicationRoutes(room),
      ...budgetRoutes(room),
      ...usageRoutes(room),
      ...accountingRoutes(room),
      ...personalRoutes(room),
      ...directoryRoutes(room),
      ...scimRoutes({ ...room, memberships }),
    ],
    ownKeyRoutes: (deps) => teamKeyRoutes(room, deps),
    levels: {
      of: (keyId, userId) => {
        const place = keyId === null ? null : places.of(keyId);
        const own = ownLimits.of(userId);
        return place instanceof Promise || own instanceof Promise
          ? joinedLater(Promise.all([place, own]), userId)
          : joined(place, own, userId);
      },
      settled: ({ keyId, payerId, tokens }) => {
        if (keyId > 0)
          whenKnown(
            () => places.of(keyId),
            (standing) => note(standing, tokens),
          );
        whenKnown(
          () => ownLimits.of(payerId),
          (own) => own && warnings.charged(own.budgets),
        );
      },
    },
    admit: (keyId, models, counted) => gate.admit(keyId, models, counted),
    reachOf: (keyId) => gate.reachOf(keyId),
    placeOf: (keyId) => places.placeOf(keyId),
    teamOf: (keyId) => thenMaybe(places.of(keyId), teamIn),
    isMembers: (keyId) => thenMaybe(places.of(keyId), (standing) => standing?.isMembers ?? false),
    applications,
    scim: directoryOf(room),
    memberships,
    exportOf: (userId) => exportOf(room.db, userId),
    forgetUser: async (userId) => {
      await deleteKeysPlace(room.db, userId);
      await forgetPersonal(room, userId);
      for (const organisation of await forgetMember(room, userId))
        await endOrganisation(room, { organisation, userId }, applications, nowhere);
    },
    requirePerson: (userId) => requirePerson(room, userId),
    sweep: async () => {
      const now = nowSeconds(room.clock);
      await inBatches((most) => deleteExpiredInvitations(room.db, now, most), sweepBatches);
      await inBatches((most) => deleteEndedWindows(room.db, now - keptSeconds, most), sweepBatches);
      await inBatches((most) => deleteOldWarnings(room.db, now - keptSeconds, most), sweepBatches);
    },
    stop: () => warnings.stop(),
  };
}

/** Synchronous if cached. A key refused meanwhile needs no notification. */
function whenKnown<T>(find: () => MaybePromise<T>, then: (found: T) => unknown): void {
  try {
    const found = find();
    if (found instanceof Promise) found.then(then).catch(() => {});
    else then(found);
  } catch {}
}

const joinedLater = async (
  loading: Promise<[PlaceStanding | null, Levels | null]>,
  userId: number,
): Promise<Levels | null> => {
  const [place, own] = await loading;
  return joined(place, own, userId);
};

/** A personal limit applies where a user pays personally. It is always locked last, which avoids deadlocks. */
function joined(place: PlaceStanding | null, own: Levels | null, userId: number): Levels | null {
  if (!place) return own;
  const { levels } = place;
  if (!own || levels.payerId !== userId) return levels;
  return { payerId: userId, budgets: [...levels.budgets, ...own.budgets] };
}
