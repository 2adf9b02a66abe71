import { z } from 'zod';
import type {} from '../identity/principals.ts';
import { AppError } from '../lib/errors.ts';
import type { Db } from '../platform/db/tables.ts';
import { management } from '../platform/http/answers.ts';
import { csvAnswer } from '../platform/http/csv-answer.ts';
import { defineRoute, type Route } from '../platform/http/route.ts';
import { accountingCsv, readMonth } from './accounting-csv.ts';

const month = z
  .string()
  .regex(/^2\d{3}-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-01')
  .meta({ example: '2026-01' });

const mostMonths = 36;

export const accountingRoute = ({ db }: { db: Db }): Route =>
  defineRoute({
    tag: 'Usage',
    ...management,
    auth: 'admin',
    method: 'get',
    path: '/api/admin/accounting',
    summary: 'Export each user’s usage and credits per month (UTC) for accounting, as CSV',
    query: z.strictObject({ from: month, to: month.optional() }),
    answers: { 200: { type: 'text/csv', description: 'One line for each month and user' } },
    handle: async (call) => {
      const first = readMonth(call.query.from);
      const last = readMonth(call.query.to ?? call.query.from);
      if (last < first) throw new AppError('invalid_value', 'from must not be later than to.', { param: 'from' });
      if (last - first >= mostMonths)
        throw new AppError('invalid_value', `At most ${mostMonths} months can be requested at once.`, { param: 'to' });
      return csvAnswer(call, `accounting-${call.query.from}.csv`, accountingCsv(db, first, last));
    },
  });
