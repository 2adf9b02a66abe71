import { type SpanFilter, type SpanGrouping, sumSpans, topUsers } from '../billing/store/usage-spans.ts';
import { accountNamesOf } from '../identity/store/names.ts';
import type { Db } from '../platform/db/tables.ts';
import { findChannel, listChannels } from '../routing/catalog/store/channels.ts';
import { collect, largest, type Measure, measuredBy, restOf, type Series } from './series.ts';

/** A chart with more colours is unreadable; the rest becomes one series. */
const mostSeries = 8;

interface Overview {
  series: Series[];
  whole: Series;
  /** Of users and channels that still exist. */
  names: Map<string | number, string>;
}

export async function readOverview(
  db: Db,
  filter: SpanFilter,
  { by, measure, width }: { by: SpanGrouping; measure: Measure; width: number },
): Promise<Overview> {
  const { series, whole } =
    by === 'user' && filter.userId === undefined
      ? await byUser(db, filter, measure, width)
      : collect(await sumSpans(db, filter, by, width));
  const shown = largest(series, measure, mostSeries);
  const rest = restOf(whole, shown);
  const names = await namesOf(db, by, shown);
  return { series: rest ? [...shown, rest] : shown, whole, names };
}

/** There are many users: only the largest are shown, the rest is the difference from the total. */
async function byUser(db: Db, filter: SpanFilter, measure: Measure, width: number) {
  const series: Series[] = [];
  for (const userId of await topUsers(db, filter, measuredBy[measure], mostSeries))
    series.push(...collect(await sumSpans(db, { ...filter, userId }, 'user', width)).series);
  // Read last: a request that arrives in between may be missing for a user, but never in the total.
  const { whole } = collect(await sumSpans(db, filter, 'channel', width));
  return { series, whole };
}

async function namesOf(db: Db, by: SpanGrouping, series: readonly Series[]): Promise<Overview['names']> {
  if (by === 'model') return new Map(series.map(({ group }) => [group!, String(group)]));
  const ids = series.map(({ group }) => Number(group));
  if (by === 'user') return accountNamesOf(db, ids);
  const channels = await listChannels(db);
  return new Map(channels.map(({ id, name }) => [id, name]));
}

/** Names for the ids of a filter; null if deleted, or absent. */
export async function narrowedBy(db: Db, { userId, channelId }: SpanFilter) {
  const users = await accountNamesOf(db, userId === undefined ? [] : [userId]);
  const channel = channelId === undefined ? null : await findChannel(db, channelId);
  return { user: users.get(userId ?? 0) ?? null, channel: channel?.name ?? null };
}
