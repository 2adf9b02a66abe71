import { z } from 'zod';
import { accountFields } from '../identity/user.ts';
import { type Clock, nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Db } from '../platform/db/tables.ts';
import { answered, management } from '../platform/http/answers.ts';
import { idText } from '../platform/http/paging.ts';
import { defineRoute, ok, type Route } from '../platform/http/route.ts';
import { dayOf } from './store/port.ts';
import { toolCalls } from './tool-calls.ts';

const count = z.number().int();
const toolCallsSchema = z
  .object({
    server: z.string(),
    tool: z.string(),
    user_id: count,
    ...accountFields,
    calls: count,
    sample: count.describe('Number of most recent calls that the fields below are based on'),
    errors: count,
    average_ms: count.nullable(),
    last_at: count.nullable(),
  })
  .meta({ id: 'ToolCalls' });

const defaultDays = 30;
/** Every tool has sums per user and day, all of which are read. */
const mostDays = 92;

/** Who uses which tool, of connected servers and of the service itself. */
export const toolCallsRoute = ({ db, clock }: { db: Db; clock: Clock }): Route =>
  defineRoute({
    tag: 'Usage',
    auth: 'admin',
    ...management,
    method: 'get',
    path: '/api/admin/usage/tools',
    summary: 'List MCP tool calls per server, tool and user, in whole days, most called first',
    query: z.strictObject({ from: idText.optional(), to: idText.optional() }),
    answers: { 200: answered(z.object({ items: z.array(toolCallsSchema), cut: z.boolean() })) },
    handle: async (call) => {
      const { from, to } = call.query;
      const until = to ?? nowSeconds(clock);
      const lastDay = dayOf(until);
      const firstDay = from === undefined ? lastDay - defaultDays + 1 : dayOf(from);
      if (from !== undefined && from > until)
        throw new AppError('invalid_value', 'from must not be later than to.', { param: 'from' });
      if (lastDay - firstDay >= mostDays)
        throw new AppError('invalid_value', `Totals cover at most ${mostDays} days.`, { param: 'from' });
      const { calls, cut } = await toolCalls(db, { firstDay, lastDay });
      const items = calls.map(({ userId, averageMs, lastAt, ...rest }) => ({
        ...{ ...rest, user_id: userId, average_ms: averageMs, last_at: lastAt },
      }));
      return ok(call, { items, cut });
    },
  });
