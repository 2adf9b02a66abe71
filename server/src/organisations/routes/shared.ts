import { z } from 'zod';
import { management } from '../../platform/http/answers.ts';
import { idText } from '../../platform/http/paging.ts';
import type { Call } from '../../platform/http/route.ts';
import type { OrganisationsContext } from '../context.ts';
import { type Membership, requireMembership } from '../membership.ts';
import type { Right } from '../rights.ts';
import { memberRoles } from '../rights.ts';

export const base = { ...management, tag: 'Organisations', auth: 'session' } as const;

export const root = '/api/organisations';
export const int = z.number().int();
export const roleField = z.enum(memberRoles);
export const monthField = z
  .string()
  .regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-11')
  .meta({ example: '2026-11' });
export const organisationParams = z.object({ id: idText });

/** All acts in an organisation are audited under its name. */
export const subject = { type: 'organisation' };
/** For the organisation in the path. */
export const told = { subject, id: (call: { params: { id: number } }) => call.params.id };

type Asked = Pick<Call<'session'>, 'principal'> & { params: { id: number } };

/** The caller's role in the organisation of the path. */
export const standing = (room: OrganisationsContext, call: Asked, right: Right): Promise<Membership> =>
  requireMembership(room.db, call.params.id, call.principal.user.id, right);
