import { AppError } from '../lib/errors.ts';
import { quotaToUsd } from '../lib/money.ts';
import type { LevelName, OpenBudget, Span } from './levels.ts';

/* Errors for insufficient quota, in words that clients show to people. */

const dollars = (quota: number): string =>
  `$${quotaToUsd(quota).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 6 })}`;

const spanWords: Record<Span, string> = { day: 'a day', week: 'a week', month: 'a month', total: 'in total' };
const levelWords: Record<LevelName, string> = {
  key: 'this API key',
  member: 'this member',
  team: 'this team',
  organisation: 'this organisation',
};

/** In the organisation's time zone, which its members think in. */
function resetText({ endsAt, timeZone }: OpenBudget): string {
  if (endsAt === 0) return 'It does not reset.';
  const local = new Intl.DateTimeFormat('en-CA', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit' },
  }).format(new Date(endsAt * 1000));
  return `It resets at ${local.replace(',', '')} (${timeZone}).`;
}

/** 403, which clients show and do not retry. */
export function budgetExceeded(budget: OpenBudget): AppError {
  const { level, span, amount } = budget;
  const whose = level === 'person' ? 'Your spending limit' : `The budget of ${levelWords[level]}`;
  const what = `${whose}, ${dollars(amount)} ${spanWords[span]},`;
  return new AppError('budget_exceeded', `${what} does not cover this request. ${resetText(budget)}`);
}

/** `shared`: an organisation pays instead of the caller. */
export const insufficientUserQuota = (shared: boolean): AppError =>
  new AppError(
    'insufficient_user_quota',
    shared
      ? 'The balance of your organisation does not cover this request.'
      : 'Your balance does not cover this request.',
  );

export const insufficientKeyQuota = (): AppError =>
  new AppError(
    'insufficient_key_quota',
    'The quota of this API key, or of this application, does not cover this request.',
  );

/** Whether a request was refused for lack of money, in the caller's or any other balance. */
export const isInsufficientQuota = (error: unknown): boolean =>
  error instanceof AppError &&
  (error.code === 'insufficient_user_quota' ||
    error.code === 'insufficient_key_quota' ||
    error.code === 'budget_exceeded');
