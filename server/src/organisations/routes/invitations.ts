import { z } from 'zod';
import { callerLanguage } from '../../identity/caller-language.ts';
import { emailRule } from '../../identity/user.ts';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { answered, done } from '../../platform/http/answers.ts';
import { idText, nothingAsked } from '../../platform/http/paging.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import type { OrganisationsContext } from '../context.ts';
import { acceptInvitation, inviteMember, lookAtInvitation } from '../invitations.ts';
import { deleteInvitation, listInvitations } from '../store/invitations.ts';
import type { InvitationRow } from '../store/tables.ts';
import { base, int, organisationParams, roleField, root, standing, subject, told } from './shared.ts';

const invitationSchema = z
  .object({
    id: int,
    email: z.string(),
    role: roleField,
    team_id: int.nullable(),
    invited_by: int,
    created_at: int,
    expires_at: int,
  })
  .meta({ id: 'OrganisationInvitation' });
const body = z.strictObject({
  role: roleField.default('member'),
  email: emailRule
    .default('')
    .describe('Email address to send the link to; without one, the link is returned in the response'),
  team_id: int.min(1).optional(),
});
const token = z.strictObject({ token: z.string().min(1).max(200) });

const viewOf = ({ secret_hash: _, organisation_id: __, ...row }: InvitationRow) => row;

export const invitationRoutes = (room: OrganisationsContext): Route[] => [
  defineRoute({
    ...base,
    method: 'get',
    path: `${root}/{id}/invitations`,
    summary: 'List pending invitations',
    params: organisationParams,
    query: nothingAsked,
    answers: { 200: answered(z.object({ invitations: z.array(invitationSchema) })) },
    handle: async (call) => {
      const { organisation } = await standing(room, call, 'manage_members');
      const rows = await listInvitations(room.db, organisation.id, nowSeconds(room.clock));
      return ok(call, { invitations: rows.map(viewOf) });
    },
  }),
  defineRoute({
    ...base,
    method: 'post',
    path: `${root}/{id}/invitations`,
    summary: 'Invite a person by email or with a link to share; the link works once and expires after 7 days',
    idempotent: true,
    params: organisationParams,
    body,
    audit: {
      ...told,
      action: 'member_invited',
      also: ({ body: { role, email, team_id } }, { data }) => ({
        ...{ invitation_id: data.invitation.id, role, email, team_id: team_id ?? null },
      }),
    },
    answers: {
      200: answered(z.object({ invitation: invitationSchema, url: z.string().nullable(), mailed: z.boolean() })),
    },
    handle: async (call) => {
      const acting = await standing(room, call, 'manage_members');
      const askedIn = await callerLanguage(room.db, call, call.principal.user.id);
      const { invitation, url, mailed } = await inviteMember(room, acting, { ...call.body, askedIn, ip: call.ip });
      call.headers['cache-control'] = 'no-store';
      return ok(call, { invitation: viewOf(invitation), url, mailed });
    },
  }),
  defineRoute({
    ...base,
    method: 'delete',
    path: `${root}/{id}/invitations/{invitation_id}`,
    summary: 'Revoke an invitation',
    params: organisationParams.extend({ invitation_id: idText }),
    audit: { ...told, action: 'invitation_deleted', also: ({ params }) => ({ invitation_id: params.invitation_id }) },
    answers: { 200: done },
    handle: async (call) => {
      const { organisation } = await standing(room, call, 'manage_members');
      if (!(await deleteInvitation(room.db, organisation.id, call.params.invitation_id)))
        throw new AppError('not_found', 'There is no such invitation.');
      return json(call, { success: true, message: 'The invitation was revoked.' });
    },
  }),
  defineRoute({
    ...base,
    method: 'post',
    path: '/api/invitations/look',
    summary: 'Get the invitation for the secret from a link',
    body: token,
    answers: { 200: answered(z.object({ organisation: z.string(), role: roleField })) },
    handle: async (call) => ok(call, await lookAtInvitation(room, call.body.token)),
  }),
  defineRoute({
    ...base,
    method: 'post',
    path: '/api/invitations/accept',
    summary: 'Accept an invitation with the secret from a link',
    body: token,
    audit: { action: 'member_joined', subject, id: (_, answer) => answer?.data.organisation_id },
    answers: { 200: answered(z.object({ organisation_id: int })) },
    handle: async (call) =>
      ok(call, { organisation_id: await acceptInvitation(room, call.principal.user.id, call.body.token) }),
  }),
];
