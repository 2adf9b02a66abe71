import type { Result } from '../../api.ts';
import { quotaOfUsd, usdOfQuota } from '../../format.ts';
import { t } from '../../language/words.ts';

export type KeyLimit = Result<'/api/tokens/limits', 'get'>['limits'][number];

/** Form state of a key's monthly limit. */
export interface LimitFields {
  /** Empty: no limit. */
  usd: number | string;
  hard: boolean;
  /** Percentages at which the owner is warned. */
  alerts: string[];
}

export const percents = ['50', '80', '90', '100'];

export const limitFieldsOf = (limit: KeyLimit | undefined): LimitFields =>
  limit
    ? {
        usd: usdOfQuota(limit.amount),
        hard: limit.hard,
        alerts: limit.alerts.map((share) => String(Math.round(share * 1_000) / 10)),
      }
    : { usd: '', hard: true, alerts: ['50', '80', '100'] };

export function limitFaultsOf({ usd }: LimitFields): { usd?: string } {
  return usd !== '' && !(Number(usd) >= 0)
    ? { usd: t('Enter an amount in dollars, or leave empty for no limit.') }
    : {};
}

export const limitBodyOf = ({ usd, hard, alerts }: LimitFields) => ({
  amount: quotaOfUsd(Number(usd)),
  hard,
  alerts: alerts.map((percent) => Number(percent) / 100).toSorted((a, b) => a - b),
});

/** The form's choices, plus percentages set through the API. */
export const percentsWith = (given: string[]): string[] =>
  [...new Set([...percents, ...given])].toSorted((a, b) => Number(a) - Number(b));

/** Used share in percent, capped at 100 for the progress bar. */
export const shareUsed = ({ used, amount }: Pick<KeyLimit, 'used' | 'amount'>): number =>
  amount > 0 ? Math.min(100, (used / amount) * 100) : 100;
