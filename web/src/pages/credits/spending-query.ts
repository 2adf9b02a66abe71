import { queryOptions } from '@tanstack/react-query';
import { get, type Result } from '../../api.ts';
import { t } from '../../language/words.ts';
import { readPercentages } from '../../read-percentages.ts';
import { queryClient } from '../../session.ts';

export type Spending = Result<'/api/user/spending', 'get'>;
export type SpendingLimit = Spending['limits'][number];
export type LimitWindow = SpendingLimit['window'];

export const spendingQuery = queryOptions({
  queryKey: ['spending'],
  queryFn: ({ signal }) => get('/api/user/spending', { signal }),
});

export const reloadSpending = () => queryClient.invalidateQueries(spendingQuery);

export const windowNames: Record<LimitWindow, string> = {
  day: t('Each day'),
  week: t('Each week'),
  month: t('Each month'),
  total: t('In total'),
};

/** Parses `50, 80, 100` to fractions; null if it is not a list of percentages. */
export function sharesOf(text: string): number[] | null {
  const percents = readPercentages(text);
  return percents && percents.length <= 20 ? percents.map((percent) => percent / 100) : null;
}

export const percentages = (shares: number[]): string =>
  shares.map((share) => String(Math.round(share * 1000) / 10)).join(', ');
