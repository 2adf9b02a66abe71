import { z } from 'zod';
import { ledgerSchema, viewLedger } from '../../billing/views.ts';
import type {} from '../../identity/principals.ts';
import { AppError } from '../../lib/errors.ts';
import { answered, asCsv, listed, management } from '../../platform/http/answers.ts';
import type { Subject } from '../../platform/http/audit-rule.ts';
import { csvAnswer } from '../../platform/http/csv-answer.ts';
import { idText, pageFields, rangeOf } from '../../platform/http/paging.ts';
import { defineRoute, ok, type Route } from '../../platform/http/route.ts';
import { makeCodes, redeemCode } from '../codes.ts';
import { codesCsv } from '../codes-csv.ts';
import type { TopUpDeps } from '../deps.ts';
import { countCodes, findCodeById, listCodes, setCodeStatus } from '../store/codes.ts';
import { codeSchema, viewCode } from '../views.ts';

const base = { ...management, tag: 'Credits' } as const;
const path = '/api/admin/redemption-codes';

/** More than a million dollars for one code is certainly a typo. */
const mostQuota = 500_000_000_000;
/** One response contains all of them, since they are shown only once. */
const mostAtOnce = 1_000;
const mostUses = 1_000_000;

const orderSchema = z.object({
  quota: z.number().int().min(1).max(mostQuota),
  count: z.number().int().min(1).max(mostAtOnce).default(1),
  uses: z.number().int().min(1).max(mostUses).default(1),
  expires_at: z.number().int().min(0).max(1e11).optional(),
  note: z.string().max(200).default(''),
});

const subjectIn = ({ db }: TopUpDeps): Subject => ({
  type: 'redemption_code',
  look: async (id) => {
    const row = await findCodeById(db, Number(id));
    return row && { name: `…${row.code_end}`, state: { status: row.status } };
  },
});

export function codeRoutes(deps: TopUpDeps): Route[] {
  const { db } = deps;
  const admin = { ...base, auth: 'admin' } as const;
  const subject = subjectIn(deps);
  return [
    defineRoute({
      ...base,
      auth: 'session',
      method: 'post',
      path: '/api/user/redemptions',
      summary: 'Redeem a code; its value is added to your balance',
      idempotent: true,
      body: z.object({ code: z.string().min(1).max(100) }),
      audit: {
        action: 'code_redeemed',
        subject: { type: 'user' },
        id: (call) => call.principal.user.id,
        also: (_, { data }) => ({ note: data.note, quota: data.amount, balance_after: data.balance_after }),
      },
      answers: { 200: answered(ledgerSchema) },
      handle: async (call) => {
        const { principal, body, idempotencyId } = call;
        return ok(call, viewLedger(await redeemCode(deps, principal.user, body.code, idempotencyId)));
      },
    }),
    defineRoute({
      ...admin,
      method: 'get',
      path,
      summary: 'List redemption codes, masked, newest first; `format=csv` returns a file',
      query: z.strictObject({ ...pageFields, format: z.enum(['json', 'csv']).optional() }),
      answers: { 200: [listed({ codes: z.array(codeSchema) }), asCsv] },
      handle: async (call) => {
        const { page, page_size, format } = call.query;
        if (format === 'csv') return csvAnswer(call, 'redemption-codes.csv', codesCsv(db));
        const codes = await listCodes(db, rangeOf(call.query));
        return ok(call, { codes: codes.map(viewCode), total: await countCodes(db), page, page_size });
      },
    }),
    defineRoute({
      ...admin,
      method: 'post',
      path,
      summary: 'Create redemption codes; each is shown only once',
      idempotent: true,
      body: orderSchema,
      audit: {
        action: 'codes_made',
        subject,
        id: (_, answer) => answer?.data.codes[0].id,
        also: ({ body }) => ({ ...body }),
      },
      answers: { 201: answered(z.object({ codes: z.array(codeSchema) })) },
      handle: async (call) => {
        const codes = await makeCodes(deps, call.principal.user.id, call.body);
        return ok(call, { codes: codes.map(viewCode) }, 201);
      },
    }),
    defineRoute({
      ...admin,
      method: 'put',
      path: `${path}/{id}`,
      summary: 'Disable or re-enable a redemption code',
      params: z.object({ id: idText }),
      body: z.object({ status: z.union([z.literal(1), z.literal(2)]) }),
      audit: { action: 'code_updated', subject, id: (call) => call.params.id },
      answers: { 200: answered(codeSchema) },
      handle: async (call) => {
        const row = await setCodeStatus(db, call.params.id, call.body.status);
        if (!row) throw new AppError('not_found', 'There is no such code.');
        return ok(call, viewCode(row));
      },
    }),
  ];
}
