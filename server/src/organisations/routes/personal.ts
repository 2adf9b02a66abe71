import { z } from 'zod';
import { spans } from '../../billing/levels.ts';
import { answered, done, management } from '../../platform/http/answers.ts';
import { nothingAsked } from '../../platform/http/paging.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import type { BudgetView } from '../budgets.ts';
import type { OrganisationsContext } from '../context.ts';
import { changeSpending, dropOwnLimit, newOwnSecret, setOwnLimit, spendingOf } from '../personal.ts';
import { budgetFields, viewWarning, warningFields } from './budgets.ts';
import { timeZone, webhookUrl } from './organisations.ts';
import { int } from './shared.ts';

const base = { ...management, tag: 'Account', auth: 'session' } as const;
const path = '/api/user/spending';
const params = z.object({ window: z.enum(spans) });
const subject = { type: 'user' };

const limitSchema = z
  .object({
    window: z.enum(spans),
    ...budgetFields,
    used: int.describe('Amount charged in the current window'),
    remaining: int,
    starts_at: int.nullable(),
    resets_at: int.nullable().describe('Start of the next window; null for a total'),
  })
  .meta({ id: 'SpendingLimit' });

const viewLimit = ({ id: _, level: __, level_id: ___, ...limit }: BudgetView) => limit;

/** Personal spending limits and alert thresholds. */
export const personalRoutes = (room: OrganisationsContext): Route[] => [
  defineRoute({
    ...base,
    method: 'get',
    path,
    summary: 'Get your spending limits, their usage and the 20 latest alerts',
    query: nothingAsked,
    answers: {
      200: answered(
        z.object({
          limits: z.array(limitSchema),
          time_zone: z.string(),
          webhook_url: z.string(),
          warnings: z.array(z.object(warningFields)),
        }),
      ),
    },
    handle: async (call) => {
      const { limits, warnings, ...rest } = await spendingOf(room, call.principal.user.id);
      return ok(call, {
        ...rest,
        limits: limits.map(viewLimit),
        warnings: warnings.map(viewWarning).map(({ budget_id: _, level: __, level_id: ___, ...told }) => told),
      });
    },
  }),
  defineRoute({
    ...base,
    method: 'put',
    path,
    summary: 'Set the time zone of your spending windows and the webhook address for alerts',
    body: z.strictObject({ time_zone: timeZone.optional(), webhook_url: webhookUrl.optional() }),
    audit: {
      action: 'spending_settings_changed',
      subject,
      id: (call) => call.principal.user.id,
      also: (call) => call.body,
    },
    answers: { 200: done },
    handle: async (call) => {
      await changeSpending(room, call.principal.user.id, call.body);
      return json(call, { success: true, message: 'Saved.' });
    },
  }),
  defineRoute({
    ...base,
    method: 'put',
    path: `${path}/{window}`,
    summary: 'Set a spending limit per day, week, month or in total; earlier spending does not count',
    params,
    body: z.strictObject({
      amount: budgetFields.amount,
      hard: budgetFields.hard.default(true),
      alerts: budgetFields.alerts.default([0.5, 0.8, 1]),
    }),
    audit: {
      action: 'spending_limit_set',
      subject,
      id: (call) => call.principal.user.id,
      also: ({ params: { window }, body }) => ({ window, ...body }),
    },
    answers: { 200: answered(limitSchema) },
    handle: async (call) =>
      ok(call, viewLimit(await setOwnLimit(room, call.principal.user.id, call.params.window, call.body))),
  }),
  defineRoute({
    ...base,
    method: 'delete',
    path: `${path}/{window}`,
    summary: 'Remove one of your spending limits',
    params,
    audit: {
      action: 'spending_limit_removed',
      subject,
      id: (call) => call.principal.user.id,
      also: ({ params: { window } }) => ({ window }),
    },
    answers: { 200: done },
    handle: async (call) => {
      await dropOwnLimit(room, call.principal.user.id, call.params.window);
      return json(call, { success: true, message: 'The limit was removed.' });
    },
  }),
  defineRoute({
    ...base,
    method: 'post',
    path: `${path}/webhook-secret`,
    summary: 'Create a new secret for signing alerts; shown only once',
    audit: { action: 'spending_secret_rotated', subject, id: (call) => call.principal.user.id },
    answers: { 200: answered(z.object({ webhook_secret: z.string() })) },
    handle: async (call) => {
      call.headers['cache-control'] = 'no-store';
      return ok(call, { webhook_secret: await newOwnSecret(room, call.principal.user.id) });
    },
  }),
];
