import { z } from 'zod';
import { keySubject } from '../../identity/subjects.ts';
import { answered, done } from '../../platform/http/answers.ts';
import { idText, nothingAsked } from '../../platform/http/paging.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import type { OrganisationsContext } from '../context.ts';
import { keyLimitsOf, limitKey, unlimitKey } from '../key-limits.ts';
import { budgetFields, defaultAlerts } from './budgets.ts';
import { base, int } from './shared.ts';

const limitSchema = z
  .object({
    ...{ key_id: int, ...budgetFields },
    used: int.describe('Amount charged this month'),
    remaining: int,
    starts_at: int.nullable(),
    resets_at: int.nullable().describe('Start of the next month, UTC'),
  })
  .meta({ id: 'KeyLimit' });
const body = z.strictObject({
  ...budgetFields,
  hard: budgetFields.hard.default(true),
  alerts: budgetFields.alerts.default(defaultAlerts),
});
const params = z.object({ id: idText });
const path = '/api/tokens/{id}/limit';
const shared = { ...base, tag: 'API keys' } as const;

export function keyLimitRoutes(room: OrganisationsContext): Route[] {
  const subject = keySubject(room.db);
  const id = (call: { params: { id: number } }) => call.params.id;
  return [
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/tokens/limits',
      summary: 'List the monthly limits of your API keys and their spending this month',
      query: nothingAsked,
      answers: { 200: answered(z.object({ limits: z.array(limitSchema) })) },
      handle: async (call) => ok(call, { limits: await keyLimitsOf(room, call.principal.user.id) }),
    }),
    defineRoute({
      ...shared,
      method: 'put',
      path,
      summary: 'Set the spending limit of an API key per calendar month (UTC), and its alert thresholds',
      params,
      body,
      audit: {
        action: 'key_limit_set',
        subject,
        id,
        also: ({ body: { amount, hard, alerts } }) => ({ monthly_limit: amount, hard, alerts }),
      },
      answers: { 200: answered(limitSchema) },
      handle: async (call) => ok(call, await limitKey(room, call.principal.user.id, call.params.id, call.body)),
    }),
    defineRoute({
      ...shared,
      method: 'delete',
      path,
      summary: 'Remove the monthly limit of an API key',
      params,
      audit: { action: 'key_limit_removed', subject, id },
      answers: { 200: done },
      handle: async (call) => {
        await unlimitKey(room, call.principal.user.id, call.params.id);
        return json(call, { success: true, message: 'The limit was removed.' });
      },
    }),
  ];
}
