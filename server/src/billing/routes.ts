import { z } from 'zod';
import type {} from '../identity/principals.ts';
import { requireManageable } from '../identity/role-checks.ts';
import { applicationsOfKeys } from '../identity/store/application-keys.ts';
import { type Clock, nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { countedPast, type Range } from '../platform/db/list-page.ts';
import type { Db } from '../platform/db/tables.ts';
import { answered, asCsv, listed, management } from '../platform/http/answers.ts';
import { csvAnswer } from '../platform/http/csv-answer.ts';
import { cursorField, cursorOf, nextCursor } from '../platform/http/cursor.ts';
import { idText, offsetOf, type Page, pageFields } from '../platform/http/paging.ts';
import { type Call, defineRoute, ok, type Route } from '../platform/http/route.ts';
import { accountingRoute } from './accounting-route.ts';
import type { Billing } from './billing.ts';
import { type LedgerPlace, pageLedger } from './store/ledger.ts';
import { dayOf } from './store/port.ts';
import { countUsage, listUsage } from './store/usage.ts';
import { sumUsage, totalOf } from './store/usage-sums.ts';
import { toolCallsRoute } from './tool-calls-route.ts';
import { keysIn, usageCsv } from './usage-csv.ts';
import { type Filters, filterFields, filterOf } from './usage-filter.ts';
import { ledgerSchema, usageLogSchema, usageSumSchema, viewLedger, viewSum, viewUsage } from './views.ts';

export interface BillingRouteDeps {
  db: Db;
  clock: Clock;
  billing: Pick<Billing, 'grant'>;
}

const base = { ...management, tag: 'Usage' } as const;
const count = z.number().int();

const userField = { user_id: idText.optional() };
const logsQuery = z.strictObject({
  ...pageFields,
  cursor: cursorField(2),
  ...filterFields,
  parent_request_id: z.string().min(1).max(256).optional(),
  format: z.enum(['json', 'csv']).optional(),
});
const grouping = z.enum(['day', 'model', 'token']);
type Grouping = z.infer<typeof grouping>;
const summaryQuery = z.strictObject({
  ...filterFields,
  group_by: grouping.default('day'),
  also: z
    .string()
    .regex(
      /^(?:day|model|token)(?:,(?:day|model|token)){0,2}$/,
      'must contain only day, model and token, separated by commas',
    )
    .optional()
    .describe('Additional groupings of the same requests, separated by commas'),
});
const summaryAnswer = z.object({
  items: z.array(usageSumSchema),
  total: usageSumSchema,
  also: z.partialRecord(grouping, z.array(usageSumSchema)).optional(),
});
const ledgerQuery = z.strictObject({ ...pageFields, cursor: cursorField(3) });

/** Skipping rows with an offset costs as much as reading them. */
const deepestRow = 100_000;
type Place = Page & { cursor?: number[] | undefined };

function rangeOf(page: Place): Range {
  const offset = page.cursor ? 0 : offsetOf(page);
  if (offset > deepestRow)
    throw new AppError(
      'invalid_value',
      'page is too high; narrow the list with from and to, or continue with next_cursor.',
      { param: 'page' },
    );
  return { limit: page.page_size, offset };
}

export function billingRoutes(room: BillingRouteDeps): Route[] {
  return [...ownRoutes(room), ...adminRoutes(room), toolCallsRoute(room), creditsRoute(room), accountingRoute(room)];
}

function ownRoutes(room: BillingRouteDeps): Route[] {
  const own = { ...base, auth: 'session', method: 'get' } as const;
  return [
    defineRoute({
      ...own,
      path: '/api/usage/logs',
      summary: 'List your requests, newest first; `format=csv` returns a file',
      query: logsQuery,
      answers: { 200: [listed({ logs: z.array(usageLogSchema), ...nextCursor }), asCsv] },
      handle: (call) => answerLogs(room, call, call.query, call.principal.user.id),
    }),
    defineRoute({
      ...own,
      path: '/api/usage/summary',
      summary: 'Get your usage in whole days (UTC) by day, model or API key',
      query: summaryQuery,
      answers: { 200: answered(summaryAnswer) },
      handle: (call) => answerSummary(room, call, call.query, call.principal.user.id),
    }),
    defineRoute({
      ...own,
      path: '/api/ledger',
      summary: 'List the changes to your balance, newest first',
      query: ledgerQuery,
      answers: { 200: listed({ entries: z.array(ledgerSchema), ...nextCursor }) },
      handle: (call) => answerLedger(room, call, call.query, call.principal.user.id),
    }),
  ];
}

function adminRoutes(room: BillingRouteDeps): Route[] {
  const admin = { ...base, auth: 'admin', method: 'get' } as const;
  return [
    defineRoute({
      ...admin,
      path: '/api/admin/usage/logs',
      summary: 'List the requests of all users or one user; `format=csv` returns a file',
      query: logsQuery.extend(userField),
      answers: { 200: [listed({ logs: z.array(usageLogSchema), ...nextCursor }), asCsv] },
      handle: (call) => answerLogs(room, call, call.query, call.query.user_id),
    }),
    defineRoute({
      ...admin,
      path: '/api/admin/usage/summary',
      summary: 'Get the usage of all users or one user in whole days (UTC) by day, model or API key',
      query: summaryQuery.extend(userField),
      answers: { 200: answered(summaryAnswer) },
      handle: (call) => answerSummary(room, call, call.query, call.query.user_id),
    }),
    defineRoute({
      ...admin,
      path: '/api/admin/ledger',
      summary: 'List the balance changes of all users or one user',
      query: ledgerQuery.extend(userField),
      answers: { 200: listed({ entries: z.array(ledgerSchema), ...nextCursor }) },
      handle: (call) => answerLedger(room, call, call.query, call.query.user_id),
    }),
  ];
}

/** A grant of more than a billion dollars is certainly a typo. */
const mostGranted = 500_000_000_000_000;

function creditsRoute(room: BillingRouteDeps): Route {
  const quota = count
    .min(-mostGranted)
    .max(mostGranted)
    .refine((n) => n !== 0, 'must not be 0');
  return defineRoute({
    ...base,
    auth: 'admin',
    method: 'post',
    path: '/api/admin/users/{id}/credits',
    summary: 'Add credits to a user’s balance, or deduct some',
    idempotent: true,
    params: z.object({ id: idText }),
    body: z.object({ quota, note: z.string().max(500).default('') }),
    audit: {
      action: 'credits_granted',
      subject: { type: 'user' },
      id: (call) => call.params.id,
      also: ({ body }, { data }) => ({ ...body, balance_after: data.balance_after }),
    },
    answers: { 200: answered(ledgerSchema) },
    handle: async (call) => {
      const { quota, note } = call.body;
      await requireManageable(room.db, call.principal.user, call.params.id, 'change the balance of');
      const { params, idempotencyId } = call;
      const by = call.principal.user.id;
      const entry = await room.billing.grant({ userId: params.id, quota, note, by, idempotencyId });
      return ok(call, viewLedger(entry));
    },
  });
}

type Headed = Pick<Call, 'headers'>;

async function answerLogs(
  { db }: BillingRouteDeps,
  call: Headed,
  query: Filters & Place & { parent_request_id?: string; format?: 'json' | 'csv' },
  userId: number | undefined,
): Promise<Response> {
  const filter = { ...filterOf(query, userId), parentRequestId: query.parent_request_id };
  if (query.format === 'csv') return csvAnswer(call, 'usage.csv', usageCsv(db, filter));
  const [created_at, id] = query.cursor ?? [];
  const range = rangeOf(query);
  const before = created_at === undefined ? undefined : { created_at, id: id! };
  const logs = await listUsage(db, filter, { ...range, before });
  const total = await countUsage(db, filter, range.offset + range.limit + countedPast);
  const last = logs.length < range.limit ? undefined : logs.at(-1);
  const next_cursor = last ? cursorOf([last.created_at, last.id]) : null;
  const applications = await applicationsOfKeys(db, keysIn(logs));
  const { page, page_size } = query;
  return ok(call, { logs: logs.map((log) => viewUsage(log, applications)), next_cursor, total, page, page_size });
}

const defaultDays = 30;
/** Sums are per day, user, model and key. A year is read at once; more would block on synchronous SQLite. */
const mostDays = 366;

async function answerSummary(
  { db, clock }: BillingRouteDeps,
  call: Headed,
  query: z.infer<typeof summaryQuery>,
  userId: number | undefined,
): Promise<Response> {
  const filter = filterOf(query, userId);
  const lastDay = dayOf(query.to ?? nowSeconds(clock));
  const firstDay = query.from === undefined ? lastDay - defaultDays + 1 : dayOf(query.from);
  if (lastDay - firstDay >= mostDays)
    throw new AppError('invalid_value', `A summary covers at most ${mostDays} days.`, { param: 'from' });
  const sumsBy = (by: Grouping) => sumUsage(db, filter, by, firstDay, lastDay);
  const view = async (by: Grouping, sums: Awaited<ReturnType<typeof sumsBy>>) => {
    const applications = await applicationsOfKeys(db, by === 'token' ? sums.map(({ group }) => Number(group)) : []);
    return sums.map((sum) => viewSum(by, sum, applications));
  };
  const sums = await sumsBy(query.group_by);
  const total = await totalOf(sums, () => sumsBy('day'));
  const items = await view(query.group_by, sums);
  if (!query.also) return ok(call, { items, total });
  const also: Partial<Record<Grouping, typeof items>> = {};
  for (const by of query.also.split(',') as Grouping[]) also[by] = await view(by, await sumsBy(by));
  return ok(call, { items, total, also });
}

async function answerLedger({ db }: BillingRouteDeps, call: Headed, query: Place, userId?: number): Promise<Response> {
  const { entries, total, next } = await pageLedger(db, userId, { ...rangeOf(query), after: placeOf(query.cursor) });
  const next_cursor = next && cursorOf([next.charge.created_at, next.charge.id, next.creditId]);
  const { page, page_size } = query;
  return ok(call, { entries: entries.map(viewLedger), next_cursor, total, page, page_size });
}

function placeOf(cursor: number[] | undefined): LedgerPlace | undefined {
  if (!cursor) return undefined;
  const [created_at, id, creditId] = cursor as [number, number, number];
  return { charge: { created_at, id }, creditId };
}
