import { z } from 'zod';
import { originOf } from '../../identity/audit/record-acts.ts';
import { findUserRow } from '../../identity/store/users.ts';
import { AppError } from '../../lib/errors.ts';
import { answered, done } from '../../platform/http/answers.ts';
import type { Subject } from '../../platform/http/audit-rule.ts';
import { nothingAsked } from '../../platform/http/paging.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import { shownName } from '../../platform/http/shown-text.ts';
import type { TeamApplications } from '../applications.ts';
import { isTimeZone } from '../calendar.ts';
import type { OrganisationsContext } from '../context.ts';
import {
  balances,
  createOrganisation,
  endOrganisation,
  noOrganisation,
  rotateWebhookSecret,
  updateOrganisation,
} from '../organisations.ts';
import { has, type MemberRole } from '../rights.ts';
import { findOrganisation, organisationsOf } from '../store/organisations.ts';
import type { OrganisationRow } from '../store/tables.ts';
import { base, int, organisationParams, roleField, root, standing, told } from './shared.ts';

export const timeZone = z
  .string()
  .refine(isTimeZone, 'must be an IANA time zone name, such as Europe/Vienna')
  .describe('Budget days, weeks and months start in this time zone');
const balance = z.enum(balances).describe('`own`: each member pays; `shared`: the organisation’s account pays');

/** An address that we call; empty for none. */
export const webhookUrl = z
  .string()
  .trim()
  .max(2_000)
  .refine((text) => {
    if (text === '') return true;
    const url = URL.parse(text);
    return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  }, 'must be an http or https address')
  .transform((text) => (text === '' ? '' : new URL(text).href))
  .meta({ type: 'string' });

const newOrganisation = z.strictObject({
  name: shownName(64),
  time_zone: timeZone.default('UTC'),
  balance: balance.default('own'),
});
const organisationChange = z.strictObject({
  name: shownName(64).optional(),
  time_zone: timeZone.optional(),
  balance: balance.optional(),
  webhook_url: webhookUrl.optional(),
});

const organisationSchema = z
  .object({
    id: int,
    name: z.string(),
    time_zone: z.string(),
    balance: z.enum(balances),
    role: roleField.describe('Role of the caller'),
    account_id: int.describe('User that represents the organisation; administrators give credits to it'),
    quota: int.nullable().describe('Balance of the account, in quota units; null if your role may not see it'),
    webhook_url: z.string().nullable(),
    created_at: int,
  })
  .meta({ id: 'Organisation' });
const one = answered(organisationSchema);

async function viewOf(
  { db }: OrganisationsContext,
  row: OrganisationRow,
  role: MemberRole,
): Promise<z.infer<typeof organisationSchema>> {
  const account = has(role, 'see_all') ? await findUserRow(db, row.account_id) : null;
  return {
    ...{ id: row.id, name: row.name, time_zone: row.time_zone, role, account_id: row.account_id },
    balance: row.balance === 'shared' ? 'shared' : 'own',
    quota: account && Number(account.quota),
    webhook_url: has(role, 'manage_organisation') ? row.webhook_url : null,
    created_at: row.created_at,
  };
}

const organisationSubject = ({ db }: OrganisationsContext): Subject => ({
  type: 'organisation',
  look: async (id) => {
    const row = await findOrganisation(db, Number(id));
    if (!row) return null;
    const { name, time_zone, balance, webhook_url } = row;
    return { name, state: { name, time_zone, balance, webhook_url } };
  },
});

export function organisationRoutes(room: OrganisationsContext, applications: Pick<TeamApplications, 'end'>): Route[] {
  const subject = organisationSubject(room);
  const params = organisationParams;
  return [
    defineRoute({
      ...base,
      method: 'get',
      path: root,
      summary: 'List your organisations',
      query: nothingAsked,
      answers: { 200: answered(z.object({ organisations: z.array(organisationSchema) })) },
      handle: async (call) => {
        const rows = await organisationsOf(room.db, call.principal.user.id);
        const organisations = await Promise.all(rows.map((row) => viewOf(room, row, row.role)));
        return ok(call, { organisations });
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: root,
      summary: 'Create an organisation; its creator becomes the owner',
      idempotent: true,
      body: newOrganisation,
      audit: { action: 'organisation_created', subject, id: (_, answer) => answer?.data.id },
      answers: { 200: one },
      handle: async (call) => {
        const row = await createOrganisation(room, call.principal.user.id, call.body);
        return ok(call, await viewOf(room, row, 'owner'));
      },
    }),
    defineRoute({
      ...base,
      method: 'get',
      path: `${root}/{id}`,
      summary: 'Get one of your organisations',
      params,
      query: nothingAsked,
      answers: { 200: one },
      handle: async (call) => {
        const { organisation, role } = await standing(room, call, 'see');
        return ok(call, await viewOf(room, organisation, role));
      },
    }),
    defineRoute({
      ...base,
      method: 'put',
      path: `${root}/{id}`,
      summary: 'Update an organisation; a new time zone does not restart budget windows',
      params,
      body: organisationChange,
      audit: { action: 'organisation_updated', subject, id: (call) => call.params.id },
      answers: { 200: one },
      handle: async (call) => {
        const acting = await standing(room, call, 'manage_organisation');
        if (call.body.balance !== undefined && acting.organisation.balance !== call.body.balance)
          await refuseUnpaid(room, acting.organisation, call.body.balance);
        return ok(call, await viewOf(room, await updateOrganisation(room, acting, call.body), acting.role));
      },
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: `${root}/{id}`,
      summary: 'Delete an organisation; its keys and applications stop working',
      params,
      audit: { action: 'organisation_deleted', subject, id: (call) => call.params.id },
      answers: { 200: done },
      handle: async (call) => {
        const acting = await standing(room, call, 'manage_organisation');
        if (!(await endOrganisation(room, acting, applications, originOf(call)))) throw noOrganisation();
        return json(call, { success: true, message: 'The organisation was deleted.' });
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: `${root}/{id}/webhook-secret`,
      summary: 'Create a new secret for signing the organisation’s alerts; shown only once',
      idempotent: true,
      params,
      audit: { ...told, action: 'organisation_webhook_secret_rotated' },
      answers: { 200: answered(z.object({ webhook_secret: z.string() })) },
      handle: async (call) => {
        const acting = await standing(room, call, 'manage_organisation');
        call.headers['cache-control'] = 'no-store';
        return ok(call, { webhook_secret: await rotateWebhookSecret(room, acting) });
      },
    }),
  ];
}

/** Switching to an account without money would stop everybody at once. */
async function refuseUnpaid(
  { db }: OrganisationsContext,
  { account_id }: OrganisationRow,
  balance: string,
): Promise<void> {
  if (balance !== 'shared') return;
  const account = await findUserRow(db, account_id);
  if (Number(account?.quota ?? 0) <= 0)
    throw new AppError('conflict', "The organisation's balance is empty. Ask an administrator for credits first.", {
      param: 'balance',
    });
}
