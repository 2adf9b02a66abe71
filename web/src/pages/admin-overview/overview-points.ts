import { formatClock, formatDayTime } from '../../format.ts';
import { locale, t } from '../../language/words.ts';
import type { Measure } from './overview-measures.ts';
import type { Overview, Series } from './overview-query.ts';
import type { Grouping } from './overview-range.ts';

const daySeconds = 86_400;

/** Days are in UTC, like the service's; hours are in the viewer's time zone. */
function timeLabel(at: number, width: number, length: number): string {
  if (width >= daySeconds)
    return new Date(at * 1000).toLocaleDateString(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' });
  // The first interval may start slightly more than a day ago.
  return length > 1.5 * daySeconds ? formatDayTime(at) : formatClock(at);
}

/** One row per point in time, even if empty, with each series' value under its index. */
export function pointsOf({ from, to, width_seconds: width, series }: Overview, { of, adds }: Measure) {
  const values = series.map(({ points }) => new Map(points.map((point) => [point.at, of(point)])));
  const count = Math.floor((to - from) / width) + 1;
  return Array.from({ length: count }, (_, index) => {
    const at = from + index * width;
    const row: Record<string, number | string | null> = { at: timeLabel(at, width, to - from) };
    for (const [place, known] of values.entries()) row[`s${place}`] = known.get(at) ?? (adds ? 0 : null);
    return row;
  });
}

const gone: Record<Grouping, (id: string) => string> = {
  user: (id) => t('Deleted user {id}##series', { id }),
  model: (id) => t('Model {name}', { name: id }),
  channel: (id) => t('Deleted channel {id}', { id }),
};

/** Display name of a series. */
export function nameOf({ id, name, rest }: Pick<Series, 'id' | 'name' | 'rest'>, by: Grouping): string {
  if (rest) return t('All others');
  if (by === 'channel' && id === 0) return t('Built in, or no channel called');
  if (name === '') return t('Models that may not exist');
  return name ?? gone[by](String(id));
}

/** Whether the overview can be filtered by this series. */
export const isOne = ({ id, name, rest }: Pick<Series, 'id' | 'name' | 'rest'>, by: Grouping): boolean =>
  !rest && (by === 'model' ? name !== '' : by === 'user' || id !== 0);

/** Distinguishable with colour blindness too. */
const colors = ['indigo.6', 'teal.6', 'orange.6', 'grape.5', 'cyan.5', 'pink.6', 'lime.7', 'yellow.6'];
export const colorOf = (place: number, { rest }: Pick<Series, 'rest'>): string =>
  rest ? 'gray.5' : colors[place % colors.length]!;
