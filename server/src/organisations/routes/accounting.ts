import { z } from 'zod';
import { levelNames } from '../../billing/levels.ts';
import { csvAnswer } from '../../platform/http/csv-answer.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { accountingCsv } from '../accounting.ts';
import type { OrganisationsContext } from '../context.ts';
import { base, monthField, organisationParams, root, standing } from './shared.ts';

const query = z.strictObject({
  month: monthField.describe('Of the organisation’s calendar'),
  level: z.enum(levelNames).default('organisation').describe('What each line is of'),
});

export const accountingRoutes = (room: OrganisationsContext): Route[] => [
  defineRoute({
    ...base,
    method: 'get',
    path: `${root}/{id}/accounting`,
    summary: 'For the books: what each team, member or key used in a month, by parts, as CSV',
    params: organisationParams,
    query,
    answers: { 200: { type: 'text/csv', description: 'A line for each that used something' } },
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
