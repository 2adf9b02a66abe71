import { z } from 'zod';
import { topUpStatuses } from './payment-status.ts';
import type { CodeRow, TopUpRow } from './store/tables.ts';

const int = z.number().int();

export const codeSchema = z
  .object({
    id: int,
    code: z.string().describe('Masked, except in the response that creates it'),
    quota: int.describe('Value of each redemption'),
    uses: int,
    used: int,
    status: int.describe('1 valid, 2 revoked'),
    note: z.string(),
    made_by: int,
    expires_at: int.describe('Unix seconds; 0 for never'),
    created_at: int,
  })
  .meta({ id: 'RedemptionCode' });
export type CodeView = z.infer<typeof codeSchema>;

export const viewCode = (row: CodeRow & { code?: string }): CodeView => ({
  id: row.id,
  code: row.code ?? `*****-*****-*****-*${row.code_end}`,
  quota: row.quota,
  uses: row.uses,
  used: row.used,
  status: row.status,
  note: row.note,
  made_by: row.made_by,
  expires_at: row.expires_at,
  created_at: row.created_at,
});

export const topUpSchema = z
  .object({
    id: int,
    user_id: int,
    amount: z.number().describe('In dollars'),
    quota: int,
    status: z.enum(topUpStatuses),
    credited: int.describe('Amount credited to the balance'),
    owed: int.describe('Amount refunded to the payer that had already been spent'),
    created_at: int,
    updated_at: int,
  })
  .meta({ id: 'TopUp' });

/** For administrators: includes who paid. */
export const namedTopUpSchema = topUpSchema.extend({ username: z.string() }).meta({ id: 'NamedTopUp' });

export const viewTopUp = (row: TopUpRow): z.infer<typeof topUpSchema> => ({
  id: row.id,
  user_id: row.user_id,
  amount: row.cents / 100,
  quota: row.quota,
  status: topUpStatuses.find((status) => status === row.status) ?? 'open',
  credited: row.credited,
  owed: row.owed,
  created_at: row.created_at,
  updated_at: row.updated_at,
});
