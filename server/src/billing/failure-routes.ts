import { z } from 'zod';
import type {} from '../identity/principals.ts';
import type { Db } from '../platform/db/tables.ts';
import { listed } from '../platform/http/answers.ts';
import { idText, offsetOf, type Page, pageFields } from '../platform/http/paging.ts';
import { defineRoute, ok, type Route } from '../platform/http/route.ts';
import type { FailureLog } from './failures.ts';
import { type FailureFilter, type FailureRow, listFailures } from './store/failures.ts';

export interface FailureRouteDeps {
  db: Db;
  failures: Pick<FailureLog, 'flush'>;
}

const int = z.number().int();

const fields = {
  id: int,
  request_id: z.string(),
  user_id: int,
  token_id: int.nullable(),
  model: z.string(),
  endpoint: z.string(),
  status: int.describe('As it was answered, or would have been had no stream begun'),
  code: z.string(),
  message: z.string().describe('What the caller was told'),
  duration_ms: int,
  parent_request_id: z.string().nullable(),
  created_at: int,
};

const failureSchema = z.object(fields).meta({ id: 'FailedRequest' });

/** The upstream's own words are the operator's business: they may speak of an account, a key or an address there. */
const wholeSchema = z
  .object({
    ...fields,
    provider: z.string().nullable().describe('Who was asked last; null when nobody was'),
    channel_id: int.nullable(),
    upstream_status: int.nullable(),
    upstream_message: z.string().nullable(),
  })
  .meta({ id: 'FailedRequestWithUpstream' });

const view = (row: FailureRow): z.infer<typeof failureSchema> => ({
  id: row.id,
  request_id: row.request_id,
  user_id: row.user_id,
  token_id: row.key_id || null,
  model: row.model_id,
  endpoint: row.endpoint,
  status: row.status,
  code: row.code,
  message: row.message,
  duration_ms: row.duration_ms,
  parent_request_id: row.parent_request_id,
  created_at: row.created_at,
});

const viewWhole = (row: FailureRow): z.infer<typeof wholeSchema> => ({
  ...view(row),
  provider: row.provider,
  channel_id: row.channel_id,
  upstream_status: row.upstream_status,
  upstream_message: row.upstream_message,
});

const query = z.object({ ...pageFields, from: idText.optional(), to: idText.optional() });

const base = {
  tag: 'Usage',
  errors: 'management',
  limit: { option: 'RateLimitApi', by: 'principal' },
  method: 'get',
} as const;

async function pageOf({ db, failures }: FailureRouteDeps, filter: FailureFilter, page: Page) {
  // What this process still holds back is shown too: people look right after their request.
  await failures.flush();
  return listFailures(db, filter, { offset: offsetOf(page), limit: page.page_size });
}

export function failureRoutes(room: FailureRouteDeps): Route[] {
  return [
    defineRoute({
      ...base,
      auth: 'session',
      path: '/api/usage/failures',
      summary: 'My requests that nobody answered, newest first',
      query,
      answers: { 200: listed({ failures: z.array(failureSchema) }) },
      handle: async (call) => {
        const { page, page_size, ...range } = call.query;
        const found = await pageOf(room, { ...range, userId: call.principal.user.id }, call.query);
        return ok(call, { failures: found.rows.map(view), total: found.total, page, page_size });
      },
    }),
    defineRoute({
      ...base,
      auth: 'admin',
      path: '/api/admin/usage/failures',
      summary: 'Requests of all users or one that nobody answered, with what the upstream said',
      query: query.extend({ user_id: idText.optional() }),
      answers: { 200: listed({ failures: z.array(wholeSchema) }) },
      handle: async (call) => {
        const { page, page_size, user_id, ...range } = call.query;
        const found = await pageOf(room, { ...range, userId: user_id }, call.query);
        return ok(call, { failures: found.rows.map(viewWhole), total: found.total, page, page_size });
      },
    }),
  ];
}
