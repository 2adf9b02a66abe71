import { quotaOfUsd, usdOfQuota } from '../../format.ts';
import { locale, t } from '../../language/words.ts';
import { ambiguousWords, isAmbiguous, readPercentages } from '../../read-percentages.ts';
import { type Place, placeText, readPlace } from './levels.ts';
import type { Budget } from './organisation-queries.ts';

type Window = Budget['window'];

export const windowWords: Record<Window, string> = {
  day: t('per day##window'),
  week: t('per week##window'),
  month: t('per month##window'),
  total: t('in total##window'),
};
export const windowChoices = [
  { value: 'day', label: t('Each day') },
  { value: 'week', label: t('Each week, from Monday') },
  { value: 'month', label: t('Each month') },
  { value: 'total', label: t('In total') },
];
const windowOf = (text: string): Window =>
  (Object.keys(windowWords) as Window[]).find((one) => one === text) ?? 'month';

/** The form's state for a budget. */
export interface BudgetFields {
  /** A level and its id, such as `team:7`. */
  place: string;
  window: string;
  usd: number | string;
  hard: boolean;
  /** Percentages, as typed. */
  alerts: string[];
}
export type BudgetFaults = Partial<Record<'place' | 'usd' | 'alerts', string>>;

export const emptyBudget = (place: Place): BudgetFields => ({
  place: placeText(place),
  window: 'month',
  usd: '',
  hard: true,
  alerts: ['50', '80', '100'],
});

const percentOf = (share: number): string => `${Math.round(share * 1000) / 10}`;

export const fieldsOf = ({ window, amount, hard, alerts, ...place }: Budget): BudgetFields => ({
  place: placeText(place),
  window,
  usd: usdOfQuota(amount),
  hard,
  alerts: alerts.map(percentOf),
});

const most = 1e15;

export function faultsOf({ place, usd, alerts }: BudgetFields): BudgetFaults {
  const faults: BudgetFaults = {};
  if (!readPlace(place)) faults.place = t('Choose what it applies to.');
  const amount = quotaOfUsd(Number(usd));
  if (usd === '' || !(amount >= 0)) faults.usd = t('Enter the maximum amount.');
  else if (amount > most) faults.usd = t('The amount is too large.');
  const wrong = alerts.find((text) => readPercentages(text)?.length !== 1);
  if (wrong !== undefined)
    faults.alerts = isAmbiguous(wrong)
      ? ambiguousWords()
      : t('{entry} is not a percentage between 0.1 and 100.', { entry: wrong });
  else if (alerts.length > 20) faults.alerts = t('Enter at most 20 percentages.');
  return faults;
}

/** The entries of the field: lists that were typed or pasted as one become several. */
export const alertsIn = (entries: string[]): string[] => [
  ...new Set(entries.flatMap((entry) => readPercentages(entry)?.map(String) ?? [entry])),
];

/** The fields that can be changed later; level and window are fixed. */
export const changeOf = ({ usd, hard, alerts }: BudgetFields) => ({
  amount: quotaOfUsd(Number(usd)),
  hard,
  alerts: (readPercentages(alerts.join(' ')) ?? []).map((percent) => percent / 100),
});

export const bodyOf = (fields: BudgetFields) => ({
  ...readPlace(fields.place)!,
  window: windowOf(fields.window),
  ...changeOf(fields),
});

/** Percentage used, from 0 to 100. A budget of zero is full as soon as anything is used. */
export function fullness({ used, amount }: Pick<Budget, 'used' | 'amount'>): number {
  if (amount === 0) return used > 0 ? 100 : 0;
  return Math.min(100, (used / amount) * 100);
}

/** A hard budget that is used up rejects every request that costs something. */
export const refuses = ({ hard, remaining }: Pick<Budget, 'hard' | 'remaining'>): boolean => hard && remaining <= 0;

/** Formats a time in the organisation's time zone, which its budgets use as well. */
export const timeIn = (timeZone: string, unixSeconds: number): string =>
  new Date(unixSeconds * 1000).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone });
