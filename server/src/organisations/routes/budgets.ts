import { z } from 'zod';
import { levelNames, spans } from '../../billing/levels.ts';
import { answered, done } from '../../platform/http/answers.ts';
import { idText, nothingAsked } from '../../platform/http/paging.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import { budgetsOf, createBudget, removeBudget, updateBudget } from '../budgets.ts';
import type { OrganisationsContext } from '../context.ts';
import { limitsOf, putLimits, removeLimits } from '../limits.ts';
import type { WarningRow } from '../store/tables.ts';
import { listWarnings } from '../store/warnings.ts';
import { base, int, organisationParams, root, standing, told } from './shared.ts';

const level = z.enum(levelNames);
const levelId = int.min(1).describe('ID of the organisation, team, user or key');
const window = z.enum(spans).describe('Windows start in the organisation’s time zone; weeks on Monday');
const amount = int.min(0).max(1e15).describe('In quota units (500,000 = 1 USD)');
const alerts = z
  .array(z.number().gt(0).max(1))
  .max(20)
  .describe('Alert thresholds as shares of the amount; each alerts once per window');

export const budgetFields = {
  amount,
  hard: z.boolean().describe('Whether requests beyond the amount are rejected; otherwise only alerts are sent'),
  alerts,
};
export const defaultAlerts = [0.5, 0.8, 1];
const newBudget = z.strictObject({
  level,
  level_id: levelId,
  window,
  amount,
  hard: budgetFields.hard.default(true),
  alerts: alerts.default(defaultAlerts),
});
const budgetChange = z.strictObject(budgetFields).partial();
const budgetSchema = z
  .object({
    ...{ id: int, level, level_id: int, window, ...budgetFields },
    used: int.describe('Amount charged in the current window'),
    remaining: int,
    starts_at: int.nullable(),
    resets_at: int.nullable().describe('Start of the next window; null for a total'),
  })
  .meta({ id: 'Budget' });

const names = z.array(z.string().min(1).max(200)).max(500);
const limitFields = {
  requests_per_minute: int.min(0).max(1e9).describe('0 for no limit'),
  tokens_per_minute: int.min(0).max(1e12).describe('0 for no limit; tokens are counted once their number is known'),
  models: names.describe('Empty for all'),
  providers: names.describe('Empty for all'),
};
const limitsSchema = z.object({ level, level_id: int, ...limitFields }).meta({ id: 'OrganisationLimits' });
const newLimits = z.strictObject({
  requests_per_minute: limitFields.requests_per_minute.default(0),
  tokens_per_minute: limitFields.tokens_per_minute.default(0),
  models: limitFields.models.default([]),
  providers: limitFields.providers.default([]),
});
const limitParams = organisationParams.extend({ level, level_id: idText });

/** An alert that was sent. */
export const warningFields = {
  ...{ id: int, window, share: z.number(), used: int, amount: int },
  starts_at: int.nullable(),
  created_at: int,
};
const warningSchema = z
  .object({ ...warningFields, budget_id: int, level, level_id: int })
  .meta({ id: 'BudgetWarning' });
const mostWarnings = 200;

export const viewWarning = ({ organisation_id: _, span, share, starts_at, ...row }: WarningRow) => ({
  ...row,
  window: span,
  share: share / 1000,
  starts_at: span === 'total' ? null : starts_at,
});

export const budgetRoutes = (room: OrganisationsContext): Route[] => [
  ...moneyRoutes(room),
  ...limitRoutes(room),
  defineRoute({
    ...base,
    method: 'get',
    path: `${root}/{id}/warnings`,
    summary: 'List the 200 latest budget alerts, newest first',
    params: organisationParams,
    query: nothingAsked,
    answers: { 200: answered(z.object({ warnings: z.array(warningSchema) })) },
    handle: async (call) => {
      const { organisation } = await standing(room, call, 'see_all');
      return ok(call, { warnings: (await listWarnings(room.db, organisation.id, mostWarnings)).map(viewWarning) });
    },
  }),
];

function moneyRoutes(room: OrganisationsContext): Route[] {
  const path = `${root}/{id}/budgets`;
  const params = organisationParams.extend({ budget_id: idText });
  return [
    defineRoute({
      ...base,
      method: 'get',
      path,
      summary: 'List the budgets of an organisation with their usage; members see only budgets that apply to them',
      params: organisationParams,
      query: nothingAsked,
      answers: { 200: answered(z.object({ budgets: z.array(budgetSchema) })) },
      handle: async (call) => {
        const seeing = await standing(room, call, 'see');
        return ok(call, { budgets: await budgetsOf(room, seeing) });
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path,
      summary: 'Create a budget for a level and a window; earlier spending does not count',
      idempotent: true,
      params: organisationParams,
      body: newBudget,
      audit: { ...told, action: 'budget_created', also: ({ body }, { data }) => ({ budget_id: data.id, ...body }) },
      answers: { 200: answered(budgetSchema) },
      handle: async (call) =>
        ok(call, await createBudget(room, await standing(room, call, 'manage_budgets'), call.body)),
    }),
    defineRoute({
      ...base,
      method: 'put',
      path: `${path}/{budget_id}`,
      summary: 'Update a budget; usage in the current window is kept',
      params,
      body: budgetChange,
      audit: { ...told, action: 'budget_updated', also: ({ params: { budget_id }, body }) => ({ budget_id, ...body }) },
      answers: { 200: answered(budgetSchema) },
      handle: async (call) => {
        const acting = await standing(room, call, 'manage_budgets');
        return ok(call, await updateBudget(room, acting, call.params.budget_id, call.body));
      },
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: `${path}/{budget_id}`,
      summary: 'Delete a budget',
      params,
      audit: { ...told, action: 'budget_deleted', also: ({ params: { budget_id } }) => ({ budget_id }) },
      answers: { 200: done },
      handle: async (call) => {
        await removeBudget(room, await standing(room, call, 'manage_budgets'), call.params.budget_id);
        return json(call, { success: true, message: 'The budget was deleted.' });
      },
    }),
  ];
}

function limitRoutes(room: OrganisationsContext): Route[] {
  const path = `${root}/{id}/limits`;
  return [
    defineRoute({
      ...base,
      method: 'get',
      path,
      summary:
        'List the limits of each level: requests and tokens per minute, models, providers; members see only limits that apply to them',
      params: organisationParams,
      query: nothingAsked,
      answers: { 200: answered(z.object({ limits: z.array(limitsSchema) })) },
      handle: async (call) => {
        const seeing = await standing(room, call, 'see');
        return ok(call, { limits: await limitsOf(room, seeing) });
      },
    }),
    defineRoute({
      ...base,
      method: 'put',
      path: `${path}/{level}/{level_id}`,
      summary: 'Set the limits of a level',
      params: limitParams,
      body: newLimits,
      audit: {
        ...told,
        action: 'limits_set',
        also: ({ params: { level: name, level_id }, body }) => ({ level: name, level_id, ...body }),
      },
      answers: { 200: answered(limitsSchema) },
      handle: async (call) => {
        const acting = await standing(room, call, 'manage_budgets');
        const { level: name, level_id } = call.params;
        return ok(call, await putLimits(room, acting, { level: name, level_id, ...call.body }));
      },
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: `${path}/{level}/{level_id}`,
      summary: 'Remove the limits of a level',
      params: limitParams,
      audit: {
        ...told,
        action: 'limits_deleted',
        also: ({ params: { level: name, level_id } }) => ({ level: name, level_id }),
      },
      answers: { 200: done },
      handle: async (call) => {
        const acting = await standing(room, call, 'manage_budgets');
        await removeLimits(room, acting, { level: call.params.level, level_id: call.params.level_id });
        return json(call, { success: true, message: 'The limits were removed.' });
      },
    }),
  ];
}
