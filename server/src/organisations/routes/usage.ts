import { z } from 'zod';
import { levelNames } from '../../billing/levels.ts';
import { dayOf } from '../../billing/store/port.ts';
import { listUsageOfKeys } from '../../billing/store/usage-of-keys.ts';
import { sumUsageOfKeys, totalOf } from '../../billing/store/usage-sums.ts';
import { csvOf } from '../../billing/usage-csv.ts';
import { usageLogSchema, usageSumSchema, viewSum, viewUsage } from '../../billing/views.ts';
import { pageAudit } from '../../identity/audit/read.ts';
import { accountsIn } from '../../identity/audit/read-store.ts';
import { auditEntrySchema, viewAudit } from '../../identity/audit/view.ts';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { answered, asCsv, listed } from '../../platform/http/answers.ts';
import { csvAnswer } from '../../platform/http/csv-answer.ts';
import { cursorField, cursorOf, nextCursor } from '../../platform/http/cursor.ts';
import { idText, pageFields } from '../../platform/http/paging.ts';
import { defineRoute, ok, type Route } from '../../platform/http/route.ts';
import { decisionSchema, viewDecision } from '../../routing/routes/decisions.ts';
import { decisionsOf } from '../../routing/store/decisions.ts';
import { monthCalled } from '../calendar.ts';
import type { OrganisationsContext } from '../context.ts';
import { keysAt } from '../level-keys.ts';
import type { Membership } from '../membership.ts';
import { base, monthField, organisationParams, root, standing } from './shared.ts';

const levelFields = {
  level: z.enum(levelNames).default('organisation'),
  level_id: idText.optional().describe('ID of the team, user or key'),
  from: idText.optional(),
  to: idText.optional(),
};
const logsQuery = z.strictObject({ ...levelFields, page_size: pageFields.page_size, cursor: cursorField(2) });
const requestsQuery = logsQuery.extend({
  month: monthField.optional().describe('Month in the organisation’s time zone, instead of from and to'),
  format: z.enum(['json', 'csv']).optional(),
});
const summaryQuery = z.strictObject({ ...levelFields, group_by: z.enum(['day', 'model', 'token']).default('day') });
const auditQuery = z.strictObject({ ...pageFields, cursor: cursorField(2) });

const defaultDays = 30;
/** Sums are per day, model and key: a year is read at once; more would block a synchronous database. */
const mostDays = 366;

/** Usage, requests and audit entries by level; members see their own. */
export const usageRoutes = (room: OrganisationsContext): Route[] => [
  defineRoute({
    ...base,
    method: 'get',
    path: `${root}/{id}/requests`,
    summary:
      'List the requests at a level, newest first; members see only those of their own keys; `format=csv` returns a file',
    params: organisationParams,
    query: requestsQuery,
    answers: { 200: [answered(z.object({ logs: z.array(usageLogSchema), ...nextCursor })), asCsv] },
    handle: async (call) => {
      const asking = await standing(room, call, 'see');
      const query = { ...call.query, ...monthOf(asking, call.query) };
      if (query.format === 'csv') return csvAnswer(call, 'usage.csv', await csvAt(room, asking, query));
      const { logs, next_cursor } = await pageOf(room, asking, query);
      return ok(call, { logs: logs.map((log) => viewUsage(log)), next_cursor });
    },
  }),
  defineRoute({
    ...base,
    method: 'get',
    path: `${root}/{id}/decisions`,
    summary: 'List the routing decisions for requests at a level, newest first',
    params: organisationParams,
    query: logsQuery,
    answers: { 200: answered(z.object({ decisions: z.array(decisionSchema), ...nextCursor })) },
    handle: async (call) => {
      const { logs, next_cursor } = await pageOf(room, await standing(room, call, 'see'), call.query);
      const rows = await decisionsOf(
        room.db,
        logs.map(({ request_id }) => request_id),
      );
      return ok(call, { decisions: rows.map(viewDecision), next_cursor });
    },
  }),
  defineRoute({
    ...base,
    method: 'get',
    path: `${root}/{id}/usage`,
    summary:
      'Get the usage at a level in whole days (UTC) by day, model or API key; members see only usage of their own keys',
    params: organisationParams,
    query: summaryQuery,
    answers: { 200: answered(z.object({ items: z.array(usageSumSchema), total: usageSumSchema })) },
    handle: async (call) => {
      const { from, to, group_by } = call.query;
      refuseBackwards(from, to);
      const lastDay = dayOf(to ?? nowSeconds(room.clock));
      const firstDay = from === undefined ? lastDay - defaultDays + 1 : dayOf(from);
      if (lastDay - firstDay >= mostDays)
        throw new AppError('invalid_value', `A summary covers at most ${mostDays} days.`, { param: 'from' });
      const keyIds = keysAt(room.db, await standing(room, call, 'see'), call.query);
      const sumsBy = (by: typeof group_by) => sumUsageOfKeys(room.db, keyIds, by, firstDay, lastDay);
      const sums = await sumsBy(group_by);
      const total = await totalOf(sums, () => sumsBy('day'));
      return ok(call, { items: sums.map((sum) => viewSum(group_by, sum)), total });
    },
  }),
  defineRoute({
    ...base,
    method: 'get',
    path: `${root}/{id}/audit`,
    summary: 'List the audit log of an organisation, newest first',
    params: organisationParams,
    query: auditQuery,
    answers: { 200: listed({ logs: z.array(auditEntrySchema), ...nextCursor }) },
    handle: async (call) => {
      const { organisation } = await standing(room, call, 'manage_members');
      const { page, page_size, cursor } = call.query;
      // Includes what this process has not written yet.
      await room.audit.flush();
      const filter = { target: { type: 'organisation', id: organisation.id } };
      const { rows, total, next } = await pageAudit(room.db, filter, { page, page_size }, cursor);
      const names = await accountsIn(room.db, rows);
      const logs = rows.map((row) => viewAudit(row, names));
      return ok(call, { logs, next_cursor: next && cursorOf(next), total, page, page_size });
    },
  }),
];

function refuseBackwards(from: number | undefined, to: number | undefined): void {
  if (from !== undefined && to !== undefined && from > to)
    throw new AppError('invalid_value', 'from must not be later than to.', { param: 'from' });
}

/** A month in the organisation's time zone; undefined if none is given. */
function monthOf({ organisation }: Membership, { month, from, to }: z.infer<typeof requestsQuery>) {
  if (month === undefined) return {};
  if (from !== undefined || to !== undefined)
    throw new AppError('invalid_value', 'month cannot be combined with from and to.', { param: 'month' });
  const { startsAt, endsAt } = monthCalled(organisation.time_zone, month);
  return { from: startsAt, to: endsAt - 1 };
}

async function csvAt({ db }: OrganisationsContext, asking: Membership, query: z.infer<typeof logsQuery>) {
  const { from, to } = query;
  refuseBackwards(from, to);
  const keyIds = keysAt(db, asking, query);
  return csvOf(db, (range) => listUsageOfKeys(db, { keyIds, from, to }, range));
}

/** Usage entries of a level, and the next cursor. */
async function pageOf({ db }: OrganisationsContext, asking: Membership, query: z.infer<typeof logsQuery>) {
  const { cursor, page_size: limit, from, to } = query;
  refuseBackwards(from, to);
  const keyIds = keysAt(db, asking, query);
  const [created_at, id] = cursor ?? [];
  const before = created_at === undefined ? undefined : { created_at, id: id! };
  const logs = await listUsageOfKeys(db, { keyIds, from, to }, { limit, before });
  const last = logs.length < limit ? undefined : logs.at(-1);
  return { logs, next_cursor: last ? cursorOf([last.created_at, last.id]) : null };
}
