import { dayOf } from '../../dates.ts';
import { t } from '../../language/words.ts';
import { isOne } from './overview-points.ts';
import type { Series } from './overview-query.ts';
import { askedOf, narrowedTo, type OverviewState, timesOf } from './overview-range.ts';

interface ListLink {
  label: string;
  to: string;
  search: Record<string, string>;
}

/** Link to the requests of a series. Requests cannot be listed by channel, so a channel links to its models instead. */
export function listOf(state: OverviewState, series: Series): ListLink | null {
  const { by } = askedOf(state);
  if (!isOne(series, by)) return null;
  if (by === 'channel') return { label: t('Models'), to: '/admin/models', search: { channel: String(series.id) } };
  const { user, model } = { ...state, ...narrowedTo(state, series) };
  const { from, to } = timesOf(state, Date.now());
  const days = { from: dayOf(from * 1000), to: dayOf(to * 1000) };
  return { label: t('Requests'), to: '/requests', search: { ...days, ...(user && { user }), ...(model && { model }) } };
}
