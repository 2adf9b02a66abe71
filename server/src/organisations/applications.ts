import type { Origin } from '../identity/audit/log.ts';
import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { OrganisationsContext } from './context.ts';
import { requireMembership } from './membership.ts';
import { has } from './rights.ts';
import { placeApplication } from './store/applications.ts';
import { findRole } from './store/members.ts';
import { organisationOfAccount } from './store/organisations.ts';
import { findTeamAnywhere } from './store/teams.ts';

/** Applications of teams: owned by the organisation's account, so that they outlive every member. */
export interface TeamApplications {
  /** Whether a user manages what this organisation account owns. */
  manages(userId: number, ownerId: number): Promise<boolean>;
  /** The owner of what is given to a team; throws unless this user may do so. */
  accountOf(userId: number, teamId: number): Promise<number>;
  /** Records that it belongs to the team. */
  given(application: { id: number; name: string }, teamId: number): Promise<void>;
  /** Registers how an account's applications end with their organisation. */
  onEnd(end: EndApplications): void;
  end: EndApplications;
}

const noTeam = () => new AppError('not_found', 'There is no such team.');

type EndApplications = (accountId: number, by: { userId: number; origin: Origin }) => Promise<void>;

export const teamApplications = (room: OrganisationsContext): TeamApplications => {
  const requireTeam = async (teamId: number) => {
    const team = await findTeamAnywhere(room.db, teamId);
    if (!team) throw noTeam();
    return team;
  };
  const ends: EndApplications[] = [];
  return {
    onEnd: (end) => {
      ends.push(end);
    },
    end: async (accountId, by) => {
      for (const end of ends) await end(accountId, by);
    },
    manages: async (userId, ownerId) => {
      const organisationId = await organisationOfAccount(room.db, ownerId);
      if (organisationId === null) return false;
      const role = await findRole(room.db, organisationId, userId);
      return role !== null && has(role, 'manage_keys');
    },
    accountOf: async (userId, teamId) => {
      const { organisation_id } = await requireTeam(teamId);
      // For non-members neither the organisation nor its team exists.
      if ((await findRole(room.db, organisation_id, userId)) === null) throw noTeam();
      return (await requireMembership(room.db, organisation_id, userId, 'manage_keys')).organisation.account_id;
    },
    given: async ({ id, name }, teamId) => {
      const { organisation_id } = await requireTeam(teamId);
      const created_at = nowSeconds(room.clock);
      await placeApplication(room.db, { application_id: id, organisation_id, team_id: teamId, name, created_at });
    },
  };
};
