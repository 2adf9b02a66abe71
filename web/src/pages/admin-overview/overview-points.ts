import { formatClock, formatDayTime } from '../../format.ts';
import { locale, t } from '../../language/words.ts';
import type { Measure } from './overview-measures.ts';
import type { Overview, Series } from './overview-query.ts';
import type { Grouping } from './overview-range.ts';

const daySeconds = 86_400;

/** Days are the service's, in UTC; hours are those of whoever looks. */
function timeLabel(at: number, width: number, length: number): string {
  if (width >= daySeconds)
    return new Date(at * 1000).toLocaleDateString(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' });
  // The first part may begin a little earlier than a day ago.
  return length > 1.5 * daySeconds ? formatDayTime(at) : formatClock(at);
}

/** A row for each point in time, also where nothing was, with a value for each series by its place. */
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

/** What a series is called. */
export function nameOf({ id, name, rest }: Pick<Series, 'id' | 'name' | 'rest'>, by: Grouping): string {
  if (rest) return t('All others');
  if (by === 'channel' && id === 0) return t('Built in, or none asked');
  if (name === '') return t('Models that may not exist');
  return name ?? gone[by](String(id));
}

/** Whether there is something to narrow to. */
export const isOne = ({ id, name, rest }: Pick<Series, 'id' | 'name' | 'rest'>, by: Grouping): boolean =>
  !rest && (by === 'model' ? name !== '' : by === 'user' || id !== 0);

/** Told apart also by those who see few colours; the last is for the rest. */
const colors = ['indigo.6', 'teal.6', 'orange.6', 'grape.5', 'cyan.5', 'pink.6', 'lime.7', 'yellow.6'];
export const colorOf = (place: number, { rest }: Pick<Series, 'rest'>): string =>
  rest ? 'gray.5' : colors[place % colors.length]!;
