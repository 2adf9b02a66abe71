import { z } from 'zod';
import type {} from '../identity/principals.ts';
import type { Db } from '../platform/db/tables.ts';
import { listed, management } from '../platform/http/answers.ts';
import { idText, type Page, pageFields, rangeOf } from '../platform/http/paging.ts';
import { defineRoute, ok, type Route } from '../platform/http/route.ts';
import { failureSchema, viewFailure, viewWholeFailure, wholeFailureSchema } from './failure-views.ts';
import type { FailureLog } from './failures.ts';
import { listFailures } from './store/failures.ts';
import type { UsageFilter } from './store/usage-sums.ts';
import { filterFields, filterOf } from './usage-filter.ts';

export interface FailureRouteDeps {
  db: Db;
  failures: Pick<FailureLog, 'flush'>;
}

const query = z.strictObject({ ...pageFields, ...filterFields });

const base = { ...management, tag: 'Usage', method: 'get' } as const;

async function pageOf({ db, failures }: FailureRouteDeps, filter: UsageFilter, page: Page) {
  // Include failures still buffered in this process: people look right after their request.
  await failures.flush();
  return listFailures(db, filter, rangeOf(page));
}

export function failureRoutes(room: FailureRouteDeps): Route[] {
  return [
    defineRoute({
      ...base,
      auth: 'session',
      path: '/api/usage/failures',
      summary: 'List your failed requests, newest first',
      query,
      answers: { 200: listed({ failures: z.array(failureSchema) }) },
      handle: async (call) => {
        const { page, page_size } = call.query;
        const found = await pageOf(room, filterOf(call.query, call.principal.user.id), call.query);
        return ok(call, { failures: found.rows.map(viewFailure), total: found.total, page, page_size });
      },
    }),
    defineRoute({
      ...base,
      auth: 'admin',
      path: '/api/admin/usage/failures',
      summary: 'List the failed requests of all users or one user, with the upstream’s response',
      query: query.extend({ user_id: idText.optional() }),
      answers: { 200: listed({ failures: z.array(wholeFailureSchema) }) },
      handle: async (call) => {
        const { page, page_size, user_id } = call.query;
        const found = await pageOf(room, filterOf(call.query, user_id), call.query);
        return ok(call, { failures: found.rows.map(viewWholeFailure), total: found.total, page, page_size });
      },
    }),
  ];
}
