import { z } from 'zod';
import type { SpanGrouping } from '../billing/store/usage-spans.ts';
import type {} from '../identity/principals.ts';
import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { answered, management } from '../platform/http/answers.ts';
import { idText } from '../platform/http/paging.ts';
import { defineRoute, ok, type Route } from '../platform/http/route.ts';
import { alertKinds } from './alert.ts';
import { type AlertDeps, findAlerts } from './alerts.ts';
import { narrowedBy, readOverview } from './overview.ts';
import { measures, type Series, viewSums } from './series.ts';
import { mostDays, widthOf } from './spans.ts';

const count = z.number().int();
const milliseconds = count.nullable().describe('Estimated from a histogram; null if no request was answered');

const sums = {
  requests: count.describe('Answered requests'),
  failures: count.describe('Requests that were not answered'),
  quota: count,
  p50_ms: milliseconds,
  p95_ms: milliseconds,
};
const seriesShape = z
  .object({
    id: count.nullable().describe('Id of the user or channel; null for models and for the rest'),
    name: z.string().nullable().describe('Null for the rest and for deleted entries'),
    rest: z.boolean().describe('Whether this is the sum of everything not listed individually'),
    total: z.object(sums),
    points: z.array(z.object({ at: count, ...sums })).describe('Points with data only'),
  })
  .meta({ id: 'OverviewSeries' });
const overviewShape = z
  .object({
    from: count,
    to: count,
    width_seconds: count.describe('Width of each point'),
    user: z.string().nullable().describe('Name of the user it is filtered by'),
    channel: z.string().nullable().describe('Name of the channel it is filtered by'),
    total: z.object(sums),
    series: z.array(seriesShape),
  })
  .meta({ id: 'Overview' });

const alertShape = z
  .object({
    kind: z.enum(alertKinds),
    severity: z.enum(['error', 'warning', 'info']),
    id: count
      .nullable()
      .describe(
        'Id of the channel or organisation; for an organisation without an owner, id of the user that represents it',
      ),
    name: z.string().nullable().describe('Name of the channel, organisation or queue'),
    provider: z.string().nullable(),
    count: count
      .nullable()
      .describe('Number of models, requests or jobs; or the status with which a credential was refused'),
    share: z.number().nullable().describe('Share of requests that succeeded, or share of a budget that is used'),
    detail: z.string().nullable().describe('Model, level and period of a budget, or last error'),
    since: count.nullable(),
  })
  .meta({ id: 'Alert' });

const query = z.strictObject({
  by: z.enum(['user', 'model', 'channel']).default('model'),
  measure: z.enum(measures).default('cost').describe('Measure by which series are selected'),
  from: idText.optional(),
  to: idText.optional(),
  user_id: idText.optional(),
  model: z.string().min(1).max(256).optional(),
  channel_id: idText.optional(),
});

const admin = { ...management, method: 'get', tag: 'Administration', auth: 'admin' } as const;

const daySeconds = 86_400;

function rangeOf(given: { from?: number; to?: number }, now: number): { from: number; to: number } {
  const to = Math.min(given.to ?? now, now);
  const from = given.from ?? to - daySeconds;
  if (from > to) throw new AppError('invalid_value', 'from must not be later than to, or than now.', { param: 'from' });
  if (to - from > mostDays * daySeconds)
    throw new AppError('invalid_value', `An overview covers at most ${mostDays} days.`, { param: 'from' });
  return { from, to };
}

const viewSeries = ({ group, total, points }: Series, by: SpanGrouping, names: Map<string | number, string>) => ({
  id: by === 'model' || group === null ? null : Number(group),
  name: group === null ? null : (names.get(group) ?? null),
  rest: group === null,
  total: viewSums(total),
  points: [...points].toSorted(([a], [b]) => a - b).map(([at, point]) => ({ at, ...viewSums(point) })),
});

export function overviewRoutes(deps: AlertDeps): Route[] {
  return [
    defineRoute({
      ...admin,
      path: '/api/admin/overview',
      summary: 'Get spend, requests, failures and latency over time, by user, model or channel',
      query,
      answers: { 200: answered(overviewShape) },
      handle: async (call) => {
        const { by, measure, user_id: userId, model: modelId, channel_id: channelId } = call.query;
        const now = nowSeconds(deps.clock);
        const { from, to } = rangeOf(call.query, now);
        const width = widthOf(from, to, now);
        const begin = Math.floor(from / width) * width;
        const filter = { from: begin, upTo: to + 1, userId, modelId, channelId };
        const { series, whole, names } = await readOverview(deps.db, filter, { by, measure, width });
        return ok(call, {
          ...{ from: begin, to, width_seconds: width, total: viewSums(whole.total) },
          ...(await narrowedBy(deps.db, filter)),
          series: series.map((one) => viewSeries(one, by, names)),
        });
      },
    }),
    defineRoute({
      ...admin,
      path: '/api/admin/alerts',
      summary:
        'List what needs attention now: channels, credentials, budgets, organisations without an active owner, background work',
      answers: { 200: answered(z.object({ alerts: z.array(alertShape) })) },
      handle: async (call) => ok(call, { alerts: await findAlerts(deps) }),
    }),
  ];
}
