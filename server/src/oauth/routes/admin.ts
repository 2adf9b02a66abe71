import { z } from 'zod';
import { originOf } from '../../identity/audit/record-acts.ts';
import { accountName, statuses } from '../../identity/user.ts';
import { answered, asCsv, listed } from '../../platform/http/answers.ts';
import { csvAnswer } from '../../platform/http/csv-answer.ts';
import { cursorField, cursorOf, nextCursor } from '../../platform/http/cursor.ts';
import { idText, pageFields, pageQuery } from '../../platform/http/paging.ts';
import { type Call, defineRoute, ok, type Route } from '../../platform/http/route.ts';
import { adminActions, administer, limitCalls } from '../administration.ts';
import { applicationSchema, viewIn } from '../application.ts';
import { allApplications } from '../applications.ts';
import { auditCsv, auditPage } from '../audit-log.ts';
import { consentsOf } from '../consents.ts';
import type { OAuthContext } from '../context.ts';
import type { WithOwner } from '../store/list-applications.ts';
import { consentSchema } from './consents.ts';
import { management } from './shapes.ts';

const admin = { ...management, tag: 'OAuth administration', auth: 'admin' } as const;
const withOwner = applicationSchema.extend({
  owner_username: z.string().describe('Empty if no user of this service registered it'),
  owner_name: z.string().describe('Display name: the username, or the name of an organisation'),
  owner_disabled: z.boolean().describe('If true, the application is stopped as if it were suspended'),
});

const administratorOf = (call: Call<'admin'>) => ({ userId: call.principal.user.id, origin: originOf(call) });

const ownerOf = ({ owner_username: username, owner_display_name: display_name, owner_status }: WithOwner) => ({
  owner_username: username ?? '',
  owner_name: accountName({ username: username ?? '', display_name: display_name ?? '' }),
  owner_disabled: owner_status === statuses.disabled,
});

const entrySchema = z
  .object({
    id: z.number().int(),
    event_type: z.string(),
    application_id: z.number().int().nullable(),
    user_id: z.number().int().nullable(),
    ip_address: z.string(),
    user_agent: z.string(),
    metadata: z.record(z.string(), z.unknown()),
    created_at: z.number().int(),
  })
  .meta({ id: 'OAuthAuditEntry' });

export function adminRoutes(room: OAuthContext): Route[] {
  return [...applicationRoutes(room), auditRoute(room)];
}

const applicationRoutes = (room: OAuthContext): Route[] => [
  defineRoute({
    ...admin,
    method: 'get',
    path: '/api/oauth2/admin/applications',
    summary: 'List all applications',
    query: pageQuery.extend({
      q: z.string().max(200).default(''),
      status: z.enum(['1', '2']).optional(),
      owner_id: idText.optional(),
    }),
    answers: { 200: listed({ applications: z.array(withOwner) }) },
    handle: async (call) => {
      const { q, status, owner_id: ownerId, ...page } = call.query;
      const filter = { q, status: status === undefined ? undefined : Number(status), ownerId };
      const { rows, total } = await allApplications(room, filter, page);
      const applications = rows.map((row) => ({ ...viewIn(room)(row), ...ownerOf(row) }));
      return ok(call, { applications, total, ...page });
    },
  }),
  defineRoute({
    ...admin,
    method: 'get',
    path: '/api/oauth2/admin/consents',
    summary: 'List the applications that a user has authorized',
    query: pageQuery.extend({ user_id: idText }),
    answers: { 200: listed({ consents: z.array(consentSchema) }) },
    handle: async (call) => {
      const { user_id, ...page } = call.query;
      return ok(call, { ...(await consentsOf(room, user_id, page)), ...page });
    },
  }),
  ...adminActions.map((action) =>
    defineRoute({
      ...admin,
      method: 'post',
      path: `/api/oauth2/admin/applications/${action}`,
      summary: `${action[0]!.toUpperCase()}${action.slice(1)} an application`,
      audit: 'recorded',
      body: z.object({
        app_id: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
        updated_at: z
          .int()
          .optional()
          .describe('The application’s updated_at when it was read; 409 if it has changed since'),
      }),
      answers: { 200: answered(applicationSchema) },
      handle: async (call) => {
        const seen = { id: call.body.app_id, seenAt: call.body.updated_at };
        return ok(call, viewIn(room)(await administer(room, administratorOf(call), action, seen)));
      },
    }),
  ),
  defineRoute({
    ...admin,
    method: 'put',
    path: '/api/oauth2/admin/applications/{app_id}',
    summary: 'Set the rate limit for an application’s tokens',
    audit: 'recorded',
    params: z.object({ app_id: idText }),
    body: z.strictObject({
      rate_limit: z.int().min(0).max(100_000_000).describe('Maximum calls per hour; 0 for no limit'),
    }),
    answers: { 200: answered(applicationSchema) },
    handle: async (call) => {
      const row = await limitCalls(room, administratorOf(call), call.params.app_id, call.body.rate_limit);
      return ok(call, viewIn(room)(row));
    },
  }),
];

const auditRoute = (room: OAuthContext): Route =>
  defineRoute({
    ...admin,
    method: 'get',
    path: '/api/oauth2/admin/audit',
    summary: 'List the audit log, newest first; format=csv exports at most 10,000 entries',
    query: z.strictObject({
      ...pageFields,
      cursor: cursorField(2),
      event_type: z.string().max(64).optional(),
      application_id: idText.optional(),
      user_id: idText.optional(),
      from: idText.optional(),
      to: idText.optional(),
      format: z.enum(['json', 'csv']).optional(),
    }),
    answers: { 200: [listed({ logs: z.array(entrySchema), ...nextCursor }), asCsv] },
    handle: async (call) => {
      const { page, page_size, cursor, format, ...filter } = call.query;
      // Includes what this process has not written yet.
      await room.audit.flush();
      if (format === 'csv') return csvAnswer(call, 'oauth-audit.csv', auditCsv(room.db, filter));
      const { next, ...found } = await auditPage(room.db, filter, { page, page_size }, cursor);
      return ok(call, { ...found, next_cursor: next && cursorOf(next), page, page_size });
    },
  });
