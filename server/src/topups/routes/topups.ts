import { z } from 'zod';
import type {} from '../../identity/principals.ts';
import { accountNamesOf } from '../../identity/store/names.ts';
import { answered, listed, management } from '../../platform/http/answers.ts';
import { idText, type Page, pageFields, rangeOf } from '../../platform/http/paging.ts';
import { defineRoute, ok, type Route } from '../../platform/http/route.ts';
import { amountsOf, beginTopUp } from '../checkout.ts';
import type { TopUpDeps } from '../deps.ts';
import { countTopUps, listTopUps } from '../store/topups.ts';
import { namedTopUpSchema, topUpSchema, viewTopUp } from '../views.ts';

const base = { ...management, tag: 'Credits' } as const;
const path = '/api/user/topups';

export function topUpRoutes(deps: TopUpDeps): Route[] {
  const pageOf = async (query: Page, userId: number | undefined) => {
    const { page, page_size } = query;
    const rows = await listTopUps(deps.db, userId, rangeOf(query));
    return { topups: rows.map(viewTopUp), total: await countTopUps(deps.db, userId), page, page_size };
  };
  return [
    defineRoute({
      ...base,
      auth: 'session',
      method: 'get',
      path,
      summary: 'List your top-ups, newest first, and the available amounts',
      query: z.strictObject(pageFields),
      answers: {
        200: listed({
          topups: z.array(topUpSchema),
          amounts: z.array(z.number()).describe('In dollars; empty if payments are not enabled'),
        }),
      },
      handle: async (call) =>
        ok(call, { ...(await pageOf(call.query, call.principal.user.id)), amounts: amountsOf(deps) }),
    }),
    defineRoute({
      ...base,
      auth: 'session',
      method: 'post',
      path,
      summary: 'Start a top-up; returns the address of the payment page',
      idempotent: true,
      body: z.object({ amount: z.number().int().min(1).max(10_000).describe('In dollars') }),
      audit: { action: 'topup_begun', subject: { type: 'topup' }, id: (_, answer) => answer?.data.id },
      answers: { 201: answered(topUpSchema.extend({ url: z.string() }).meta({ id: 'NewTopUp' })) },
      handle: async (call) => {
        const { topUp, url } = await beginTopUp(deps, call.principal.user, call.body.amount);
        return ok(call, { ...viewTopUp(topUp), url }, 201);
      },
    }),
    defineRoute({
      ...base,
      auth: 'admin',
      method: 'get',
      path: '/api/admin/topups',
      summary: 'List the top-ups of all users or one user, newest first',
      query: z.strictObject({ ...pageFields, user_id: idText.optional() }),
      answers: { 200: listed({ topups: z.array(namedTopUpSchema) }) },
      handle: async (call) => {
        const { topups, ...rest } = await pageOf(call.query, call.query.user_id);
        // Payers are users, never organisations' accounts.
        const names = await accountNamesOf(
          deps.db,
          topups.map(({ user_id }) => user_id),
        );
        return ok(call, { topups: topups.map((one) => ({ ...one, username: names.get(one.user_id) ?? '' })), ...rest });
      },
    }),
  ];
}
