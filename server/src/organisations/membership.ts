import { AppError } from '../lib/errors.ts';
import type { Db } from '../platform/db/tables.ts';
import { has, type MemberRole, type Right } from './rights.ts';
import { findRole } from './store/members.ts';
import { findOrganisation } from './store/organisations.ts';
import type { OrganisationRow } from './store/tables.ts';

/** A member of an organisation. */
export interface Membership {
  organisation: OrganisationRow;
  userId: number;
  role: MemberRole;
}

const none = () => new AppError('not_found', 'There is no such organisation.');

/** For non-members the organisation does not exist. */
export async function requireMembership(db: Db, id: number, userId: number, right: Right): Promise<Membership> {
  const role = await findRole(db, id, userId);
  const organisation = role && (await findOrganisation(db, id));
  if (!organisation) throw none();
  if (!has(role, right))
    throw new AppError('forbidden', `Your role in this organisation, ${role}, does not allow this.`);
  return { organisation, userId, role };
}
