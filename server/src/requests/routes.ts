import { z } from 'zod';
import type { AuditLog } from '../identity/audit/log.ts';
import { originOf } from '../identity/audit/record-acts.ts';
import type {} from '../identity/principals.ts';
import { applicationsOfKeys } from '../identity/store/application-keys.ts';
import { accountsOf } from '../identity/store/names.ts';
import { AppError } from '../lib/errors.ts';
import { answered, management } from '../platform/http/answers.ts';
import { cursorField, cursorOf, nextCursor } from '../platform/http/cursor.ts';
import { idText, pageFields } from '../platform/http/paging.ts';
import { type Call, defineRoute, ok, type Route } from '../platform/http/route.ts';
import type { KeptContents } from './contents/open.ts';
import { contentRoutes } from './contents/routes.ts';
import { type Asking, type FoundRequest, findRequest, type RequestLookupDeps } from './find.ts';
import { type Line, type LinePlace, pageRequests, type Status } from './page.ts';
import {
  detailSchema,
  requestSchema,
  userOf,
  viewDetail,
  viewLine,
  viewWholeDetail,
  viewWholeLine,
  wholeDetailSchema,
  wholeRequestSchema,
} from './views.ts';

const name = z.string().min(1).max(256);

const query = z.strictObject({
  cursor: cursorField(3),
  page_size: pageFields.page_size,
  status: z
    .string()
    .regex(
      /^(answered|incomplete|failed|[45]\d\d)$/,
      'must be answered, incomplete, failed or a status code from 400 to 599',
    )
    .optional()
    .describe('`incomplete`: partly answered; `failed`: not answered; `429`: failed with this status'),
  model: name.optional(),
  token_id: idText.optional(),
  parent_request_id: name.optional(),
  from: idText.optional(),
  to: idText.optional(),
});
type Query = z.infer<typeof query>;

const atField = {
  at: idText.optional().describe('`created_at` from the list; also finds requests without a stored decision'),
};
const params = z.object({ id: name });

const base = { ...management, tag: 'Usage', method: 'get' } as const;

const statusOf = (text: string | undefined): Status | undefined =>
  text !== undefined && /^\d/.test(text) ? Number(text) : (text as Status | undefined);

async function pageOf({ db, failures }: RequestLookupDeps, asked: Query, userId: number | undefined) {
  const { from, to, status, cursor } = asked;
  if (from !== undefined && to !== undefined && from > to)
    throw new AppError('invalid_value', 'from must not be later than to.', { param: 'from' });
  // Includes what this process has not written yet: people look right after their request.
  await failures.flush();
  const { lines, next } = await pageRequests(
    db,
    {
      ...{ userId, from, to, status: statusOf(status) },
      ...{ keyId: asked.token_id, modelId: asked.model, parentRequestId: asked.parent_request_id },
    },
    { limit: asked.page_size, after: cursor as LinePlace | undefined },
  );
  const applications = await applicationsOfKeys(db, keysIn(lines));
  return { lines, next_cursor: next && cursorOf(next), applications };
}

const rowOf = (line: Line) => (line.side === 'failed' ? line.failure : line.log);
const keysIn = (lines: readonly Line[]): number[] => [...new Set(lines.map((line) => rowOf(line).key_id))];

async function oneOf(room: RequestLookupDeps, requestId: string, asking: Asking): Promise<FoundRequest> {
  const found = await findRequest(room, requestId, asking);
  if (!found) throw new AppError('not_found', 'There is no record of a model request with this id.');
  return found;
}

const applicationsIn = ({ db }: RequestLookupDeps, { logs }: FoundRequest) =>
  applicationsOfKeys(
    db,
    logs.map(({ key_id }) => key_id),
  );

/** Reading other users' prompts is audited. The text itself appears in no log. */
async function noteReading(audit: AuditLog, call: Call<'admin'>, userId: number, requestId: string): Promise<void> {
  audit.record({
    ...{ action: 'request_contents_read', actor: call.principal.user.id, origin: originOf(call) },
    ...{ target: { type: 'user', id: userId }, metadata: { request_id: requestId } },
  });
  await audit.flush();
}

export function requestRoutes(room: RequestLookupDeps & { contents: KeptContents; audit: AuditLog }): Route[] {
  return [
    ...contentRoutes(room.contents),
    defineRoute({
      ...base,
      auth: 'session',
      path: '/api/requests',
      summary: 'List all your requests to models and tools, whatever their outcome, newest first',
      query,
      answers: { 200: answered(z.object({ requests: z.array(requestSchema), ...nextCursor })) },
      handle: async (call) => {
        const { lines, next_cursor, applications } = await pageOf(room, call.query, call.principal.user.id);
        return ok(call, { requests: lines.map((line) => viewLine(line, applications)), next_cursor });
      },
    }),
    defineRoute({
      ...base,
      auth: 'session',
      path: '/api/requests/{id}',
      summary: 'Get all details of one of your requests: cost breakdown, routing, error and the work it belongs to',
      params,
      query: z.strictObject(atField),
      answers: { 200: answered(detailSchema) },
      handle: async (call) => {
        const { id } = call.params;
        const found = await oneOf(room, id, { userId: call.principal.user.id, at: call.query.at });
        return ok(call, viewDetail(id, found, await applicationsIn(room, found)));
      },
    }),
    defineRoute({
      ...base,
      auth: 'admin',
      path: '/api/admin/requests',
      summary: 'List all requests of all users or one user, whatever their outcome, with the upstream’s response',
      query: query.extend({ user_id: idText.optional() }),
      answers: { 200: answered(z.object({ requests: z.array(wholeRequestSchema), ...nextCursor })) },
      handle: async (call) => {
        const { lines, next_cursor, applications } = await pageOf(room, call.query, call.query.user_id);
        const accounts = await accountsOf(
          room.db,
          lines.map((line) => rowOf(line).user_id),
        );
        return ok(call, { requests: lines.map((line) => viewWholeLine(line, applications, accounts)), next_cursor });
      },
    }),
    defineRoute({
      ...base,
      auth: 'admin',
      path: '/api/admin/requests/{id}',
      summary: 'Get all details of a request, with the upstream’s response',
      params,
      query: z.strictObject(atField),
      answers: { 200: answered(wholeDetailSchema) },
      handle: async (call) => {
        const { id } = call.params;
        const found = await oneOf(room, id, { at: call.query.at });
        const userId = userOf(found);
        const account = (await accountsOf(room.db, [userId])).get(userId);
        if (found.content && userId !== call.principal.user.id) await noteReading(room.audit, call, userId, id);
        return ok(call, viewWholeDetail(id, found, await applicationsIn(room, found), account));
      },
    }),
  ];
}
