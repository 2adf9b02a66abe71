import { z } from '@hono/zod-openapi';
import { idText, offsetOf, pageFields, pageQuery } from '../../platform/http/paging.ts';
import { defineRoute, ok, type Route } from '../../platform/http/route.ts';
import { adminActions, administer } from '../administration.ts';
import { applicationSchema, applicationView } from '../application.ts';
import { auditCsv, auditPage } from '../audit-log.ts';
import type { Room } from '../room.ts';
import { listAll } from '../store/applications.ts';
import { answered, management, originOf } from './shapes.ts';

const admin = { ...management, tag: 'OAuth administration', auth: 'admin' } as const;
const withOwner = applicationSchema.extend({ owner_username: z.string() });
const paged = { total: z.number().int(), page: z.number().int(), page_size: z.number().int() };

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
  .openapi('OAuthAuditEntry');

/** Spec §4.11. */
export function adminRoutes(room: Room): Route[] {
  return [...applicationRoutes(room), auditRoute(room)];
}

const applicationRoutes = (room: Room): Route[] => [
  defineRoute({
    ...admin,
    method: 'get',
    path: '/api/oauth2/admin/applications',
    summary: 'All applications',
    query: pageQuery.extend({ q: z.string().max(200).default(''), status: z.enum(['1', '2']).optional() }),
    answers: { 200: answered(z.object({ applications: z.array(withOwner), ...paged })) },
    handle: async (call) => {
      const { q, status, ...page } = call.query;
      const filter = { q, status: status === undefined ? undefined : Number(status) };
      const { rows, total } = await listAll(room.db, filter, page.page_size, offsetOf(page));
      const applications = rows.map((row) => ({ ...applicationView(row), owner_username: row.owner_username }));
      return ok(call, { applications, total, ...page });
    },
  }),
  ...adminActions.map((action) =>
    defineRoute({
      ...admin,
      method: 'post',
      path: `/api/oauth2/admin/applications/${action}`,
      summary: `${action[0]!.toUpperCase()}${action.slice(1)} an application`,
      body: z.object({ app_id: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER) }),
      answers: { 200: answered(applicationSchema) },
      handle: async (call) => {
        const by = { userId: call.principal.user.id, origin: originOf(call) };
        return ok(call, applicationView(await administer(room, by, action, call.body.app_id)));
      },
    }),
  ),
];

const auditRoute = (room: Room): Route =>
  defineRoute({
    ...admin,
    method: 'get',
    path: '/api/oauth2/admin/audit',
    summary: 'The audit log, newest first; format=csv exports at most 10,000 entries',
    query: z.object({
      ...pageFields,
      event_type: z.string().max(64).optional(),
      application_id: idText.optional(),
      user_id: idText.optional(),
      from: idText.optional(),
      to: idText.optional(),
      format: z.enum(['json', 'csv']).optional(),
    }),
    answers: { 200: answered(z.object({ logs: z.array(entrySchema), ...paged })) },
    handle: async (call) => {
      const { page, page_size, format, ...filter } = call.query;
      // What this process has just recorded belongs to the answer too.
      await room.audit.flush();
      if (format === 'csv') return csv(auditCsv(room.db, filter), call.headers);
      return ok(call, { ...(await auditPage(room.db, filter, { page, page_size })), page, page_size });
    },
  });

function csv(lines: AsyncGenerator<string>, headers: Record<string, string>): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await lines.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: async () => {
      await lines.return(undefined);
    },
  });
  return new Response(body, {
    headers: {
      ...headers,
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="oauth-audit.csv"',
      'cache-control': 'no-store',
    },
  });
}
