import { addDays, dayOf, endOf, isDay, startOf } from '../../dates.ts';
import { isWhole, oneOf, upTo } from '../../filter-values.ts';
import { t } from '../../language/words.ts';

/** The search parameters of the URL; `from` and `to` take precedence over `days`. */
export const usageDefaults = {
  page: '1',
  days: '30',
  from: '',
  to: '',
  model: '',
  key: '',
  parent: '',
  /** `answered` or `failed` requests. */
  show: 'answered',
  /** `1`: failed requests of all users. */
  everybody: '',
  /** Id of the entry whose details are open. */
  open: '',
};
export const usageFits = {
  days: (text: string) => isWhole(text) && Number(text) > 0,
  from: isDay,
  to: isDay,
  model: upTo(256),
  key: isWhole,
  parent: upTo(256),
  show: oneOf(['answered', 'failed']),
};
export type UsageState = typeof usageDefaults;

export const periods = [
  { value: '1', label: t('Today') },
  { value: '7', label: t('7d') },
  { value: '30', label: t('30d') },
  { value: '90', label: t('90d') },
  { value: 'dates', label: t('Dates') },
];

/** The longest range that the service sums in one request. */
const mostDays = 366;

export interface Range {
  first: string;
  last: string;
}

/** Whole days, both inclusive. Incomplete or invalid dates are corrected instead of rejected. */
export function rangeOf({ days, from, to }: Pick<UsageState, 'days' | 'from' | 'to'>, nowMs: number): Range {
  const today = dayOf(nowMs);
  if (isDay(from) || isDay(to)) {
    const last = isDay(to) ? to : today;
    const earliest = addDays(last, 1 - mostDays);
    const first = isDay(from) && from <= last ? from : last;
    return { first: first < earliest ? earliest : first, last };
  }
  const count = Number(days);
  const length = Number.isInteger(count) && count > 0 ? Math.min(count, mostDays) : 30;
  return { first: addDays(today, 1 - length), last: today };
}

/** The filter as query parameters of the API. */
export function filterOf(state: UsageState, nowMs: number) {
  const { first, last } = rangeOf(state, nowMs);
  const key = Number(state.key);
  return {
    from: startOf(first),
    to: endOf(last),
    ...(state.model && { model: state.model }),
    ...(Number.isInteger(key) && key > 0 && { token_id: key }),
  };
}
export type UsageFilter = ReturnType<typeof filterOf>;

/** All requests of one turn or run, at any time. */
export const ofParent = (parent_request_id: string) => ({ parent_request_id });
export type LogsFilter = UsageFilter | ReturnType<typeof ofParent>;

export function csvAddress(filter: LogsFilter): string {
  const query = new URLSearchParams({ format: 'csv' });
  for (const [name, value] of Object.entries(filter)) query.set(name, String(value));
  return `/api/usage/logs?${query}`;
}
