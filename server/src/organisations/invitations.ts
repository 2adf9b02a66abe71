import { mayMail } from '../identity/links/mail.ts';
import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { sha256Hex } from '../lib/hashing.ts';
import { randomString } from '../lib/ids.ts';
import type { Language } from '../lib/languages.ts';
import type { Db } from '../platform/db/tables.ts';
import { type OrganisationsContext, organisationTag } from './context.ts';
import type { Membership } from './membership.ts';
import { has, type MemberRole, mayGive } from './rights.ts';
import { linkMember, requireListed } from './scim/join.ts';
import { countInvitations, findInvitation, insertInvitation, takeInvitation } from './store/invitations.ts';
import { addMember, findActiveRole, holdMembers } from './store/members.ts';
import { findOrganisation } from './store/organisations.ts';
import type { InvitationRow } from './store/tables.ts';
import { findTeam, joinTeam } from './store/teams.ts';
import { requireTeam } from './teams.ts';

const keptSeconds = 7 * 86_400;
const mostInvitations = 500;

export interface NewInvitation {
  role: MemberRole;
  email: string;
  team_id?: number | undefined;
  /** The inviter's language, as the most likely common one. */
  askedIn: Language;
  ip: string;
}

export interface Invited {
  invitation: InvitationRow;
  /** The link, if no mail was sent. */
  url: string | null;
  mailed: boolean;
}

/** The secret is in the fragment, which browsers do not send to servers. */
export async function inviteMember(
  room: OrganisationsContext,
  acting: Membership,
  input: NewInvitation,
): Promise<Invited> {
  const { organisation, userId } = acting;
  if (!mayGive(acting.role, null, input.role))
    throw new AppError('forbidden', 'Only an owner can make someone an owner.');
  if (input.team_id !== undefined) await requireTeam(room, organisation.id, input.team_id);
  const now = nowSeconds(room.clock);
  const token = randomString(48);
  const invitation = await room.db.transaction().execute(async (tx) => {
    await holdMembers(tx, organisation.id);
    if ((await countInvitations(tx, organisation.id)) >= mostInvitations)
      throw new AppError(
        'conflict',
        `The limit of ${mostInvitations} pending invitations is reached. Revoke some first.`,
      );
    return insertInvitation(tx, {
      ...{ organisation_id: organisation.id, secret_hash: sha256Hex(token), email: input.email, role: input.role },
      ...{ team_id: input.team_id ?? null, invited_by: userId, created_at: now, expires_at: now + keptSeconds },
    });
  });
  const url = `${room.webUrl}/join#${token}`;
  const mailed = await mail(room, acting, input, url);
  return { invitation, url: mailed ? null : url, mailed };
}

async function mail(
  room: OrganisationsContext,
  { userId, organisation }: Membership,
  { email, role, askedIn, ip }: NewInvitation,
  link: string,
): Promise<boolean> {
  if (!room.mailer || email === '' || !(await mayMail(room, 'join', email, { userId, ip }))) return false;
  const reader = { email, username: '', language: askedIn };
  try {
    await room.mailer.send(reader, 'join', { organisation: organisation.name, role, link, seconds: keptSeconds });
    return true;
  } catch (error) {
    room.log.warn({ error }, 'an invitation could not be emailed');
    return false;
  }
}

const spent = () =>
  new AppError('invalid_value', 'This invitation has been used, was revoked or has expired.', {
    param: 'token',
  });

/**
 * A valid invitation, whose issuer may still invite. Otherwise a removed member could return by a link of their own.
 */
async function openInvitation(db: Db, token: string, now: number): Promise<InvitationRow | null> {
  const invitation = await findInvitation(db, sha256Hex(token), now);
  if (!invitation) return null;
  const by = await findActiveRole(db, invitation.organisation_id, invitation.invited_by);
  const mayInvite = by && has(by, 'manage_members') && mayGive(by, null, invitation.role);
  return mayInvite ? invitation : null;
}

/** What the holder of a link is invited to. */
export async function lookAtInvitation(
  room: OrganisationsContext,
  token: string,
): Promise<{ organisation: string; role: string }> {
  const invitation = await openInvitation(room.db, token, nowSeconds(room.clock));
  const organisation = invitation && (await findOrganisation(room.db, invitation.organisation_id));
  if (!organisation) throw spent();
  return { organisation: organisation.name, role: invitation.role };
}

/** An existing member keeps their role, and the invitation stays unused. */
export async function acceptInvitation(room: OrganisationsContext, userId: number, token: string): Promise<number> {
  const now = nowSeconds(room.clock);
  const id = await room.db.transaction().execute(async (tx) => {
    const found = await findInvitation(tx, sha256Hex(token), now);
    if (!found) throw spent();
    await holdMembers(tx, found.organisation_id);
    // Read under the lock, when roles cannot change any more.
    const invitation = await openInvitation(tx, token, now);
    if (!invitation) throw spent();
    const { organisation_id, role, team_id, email } = invitation;
    // Whoever was invited, whatever address the account has that brings the link.
    await requireListed(tx, organisation_id, email.toLowerCase());
    if (!(await takeInvitation(tx, invitation.id))) throw spent();
    if (!(await addMember(tx, { organisation_id, user_id: userId, role, created_at: now })))
      throw new AppError('conflict', 'You are already a member of this organisation.');
    await linkMember(tx, organisation_id, userId);
    if (team_id !== null && (await findTeam(tx, organisation_id, team_id))) await joinTeam(tx, team_id, userId);
    return organisation_id;
  });
  await room.announcements.changed(organisationTag(id));
  return id;
}
