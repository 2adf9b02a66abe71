import { endOf, isDay, startOf } from '../../dates.ts';
import { isWhole, oneOf, upTo } from '../../filter-values.ts';
import { t } from '../../language/words.ts';

/** The URL's search parameters; `from` and `to` are days and take precedence over `range`. */
export const overviewDefaults = {
  range: 'day',
  from: '',
  to: '',
  by: 'model',
  measure: 'cost',
  user: '',
  model: '',
  channel: '',
};
export type OverviewState = typeof overviewDefaults;

export const ranges = [
  { value: 'hour', label: t('Hour') },
  { value: 'day', label: t('Day') },
  { value: 'week', label: t('Week') },
  { value: 'month', label: t('Month##range') },
  { value: 'dates', label: t('Dates') },
];

const hour = 3_600;
const day = 24 * hour;
/** A map, since the range is looked up as it is in the URL. */
const seconds = new Map([
  ['hour', hour],
  ['day', day],
  ['week', 7 * day],
  ['month', 30 * day],
]);

export const groupings = [
  { value: 'user', label: t('Users') },
  { value: 'model', label: t('Models') },
  { value: 'channel', label: t('Channels') },
] as const;
export type Grouping = (typeof groupings)[number]['value'];

export const measureNames = ['cost', 'requests', 'failures', 'latency'] as const;
export type MeasureName = (typeof measureNames)[number];

/** The longest range that the service aggregates in one request. */
const mostDays = 186;

export const hasDates = ({ from, to }: Pick<OverviewState, 'from' | 'to'>): boolean => isDay(from) || isDay(to);

export const overviewFits = {
  range: oneOf(ranges),
  from: isDay,
  to: isDay,
  by: oneOf(groupings),
  measure: oneOf(measureNames),
  user: isWhole,
  model: upTo(256),
  channel: isWhole,
};

/** In Unix seconds. Missing or invalid dates are replaced by defaults instead of rejected. */
export function timesOf(
  state: Pick<OverviewState, 'range' | 'from' | 'to'>,
  nowMs: number,
): { from: number; to: number } {
  const now = Math.floor(nowMs / 1000);
  if (!hasDates(state)) return { from: now - (seconds.get(state.range) ?? day), to: now };
  const to = Math.min(endOf(state.to) ?? now, now);
  const given = startOf(state.from) ?? to - day;
  return { from: Math.max(Math.min(given, to), to - mostDays * day), to };
}

const known = <T extends string>(names: readonly T[], name: string, otherwise: T): T =>
  names.find((one) => one === name) ?? otherwise;
const whole = (text: string): number | undefined => (isWhole(text) ? Number(text) : undefined);

/** Query parameters of the API; invalid values in the URL fall back to defaults. */
export const askedOf = (state: OverviewState) => ({
  by: known(
    groupings.map(({ value }) => value),
    state.by,
    'model',
  ),
  measure: known(measureNames, state.measure, 'cost'),
  user_id: whole(state.user),
  model: state.model === '' ? undefined : state.model.slice(0, 256),
  channel_id: whole(state.channel),
});
export type Asked = ReturnType<typeof askedOf>;

/** Filters by one series and regroups by the first dimension that is not filtered yet. */
export function narrowedTo(
  state: OverviewState,
  series: { id: number | null; name: string | null },
): Partial<OverviewState> {
  const { by } = askedOf(state);
  const value = by === 'model' ? (series.name ?? '') : String(series.id ?? '');
  const next = { ...state, [by]: value };
  const free = groupings.find((one) => next[one.value] === '');
  return { [by]: value, by: free?.value ?? by };
}
