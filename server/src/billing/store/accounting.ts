import type { Db } from '../../platform/db/tables.ts';
import { catchUp } from './filing.ts';
import { dayOf } from './port.ts';
import './tables.ts';

export interface AccountSums {
  requests: number;
  promptTokens: number;
  completionTokens: number;
  /** Charged for requests. */
  used: number;
  /** Added to or taken from the balance other than by requests. */
  credited: number;
  taken: number;
}

/** Unix seconds, `from` inclusive, `upTo` exclusive; both at the start of a day. */
export interface Span {
  from: number;
  upTo: number;
}

export const nothing: AccountSums = Object.freeze({
  ...{ requests: 0, promptTokens: 0, completionTokens: 0 },
  ...{ used: 0, credited: 0, taken: 0 },
});

/** Usage and credits of these users; users without either are left out. Uses daily sums, which outlive the log. */
export async function sumAccounts(db: Db, userIds: number[], span: Span): Promise<Map<number, AccountSums>> {
  const sums = new Map<number, AccountSums>();
  const add = (userId: number, part: Partial<AccountSums>) =>
    sums.set(userId, { ...(sums.get(userId) ?? nothing), ...part });
  if (userIds.length === 0) return sums;
  await catchUp(db);
  const used = await db
    .selectFrom('usage_days_all')
    .where('user_id', 'in', userIds)
    .where('day', '>=', dayOf(span.from))
    .where('day', '<', dayOf(span.upTo))
    .select((e) => [
      'user_id',
      e.fn.sum<number>('requests').as('requests'),
      e.fn.sum<number>('prompt_tokens').as('prompt_tokens'),
      e.fn.sum<number>('completion_tokens').as('completion_tokens'),
      e.fn.sum<number>('quota').as('quota'),
    ])
    .groupBy('user_id')
    .execute();
  for (const row of used)
    add(row.user_id, {
      requests: Number(row.requests),
      promptTokens: Number(row.prompt_tokens),
      completionTokens: Number(row.completion_tokens),
      used: Number(row.quota),
    });
  for (const sign of ['credited', 'taken'] as const)
    for (const { user_id, amount } of await sumCredits(db, userIds, span, sign))
      add(user_id, { [sign]: Math.abs(Number(amount)) });
  return sums;
}

const sumCredits = (db: Db, userIds: number[], { from, upTo }: Span, sign: 'credited' | 'taken') =>
  db
    .selectFrom('credits')
    .where('user_id', 'in', userIds)
    .where('created_at', '>=', from)
    .where('created_at', '<', upTo)
    .where('amount', sign === 'credited' ? '>' : '<', 0)
    .select((e) => ['user_id', e.fn.sum<number>('amount').as('amount')])
    .groupBy('user_id')
    .execute();
