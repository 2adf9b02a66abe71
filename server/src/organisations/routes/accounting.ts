import { z } from 'zod';
import { levelNames } from '../../billing/levels.ts';
import { csvAnswer } from '../../platform/http/csv-answer.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { accountingCsv } from '../accounting.ts';
import type { OrganisationsContext } from '../context.ts';
import { base, monthField, organisationParams, root, standing } from './shared.ts';

const query = z.strictObject({
  month: monthField.describe('Month in the organisation’s time zone'),
  level: z.enum(levelNames).default('organisation').describe('What each line stands for'),
});

export const accountingRoutes = (room: OrganisationsContext): Route[] => [
  defineRoute({
    ...base,
    method: 'get',
    path: `${root}/{id}/accounting`,
    summary: 'Export the monthly usage of each team, member or key for accounting, itemised, as CSV',
    params: organisationParams,
    query,
    answers: { 200: { type: 'text/csv', description: 'One line for each that has usage' } },
    handle: async (call) => {
      const { organisation } = await standing(room, call, 'see_all');
      const { month, level } = call.query;
      return csvAnswer(
        call,
        `${level}-${organisation.id}-${month}.csv`,
        accountingCsv(room.db, organisation, month, level),
      );
    },
  }),
];
