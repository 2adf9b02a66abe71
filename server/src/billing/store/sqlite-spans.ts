import type { Database } from 'bun:sqlite';
import { prepared } from '../../platform/db/prepared.ts';
import type { UsageRow } from './port.ts';
import { addSums, durationBounds, noSums, type SpanSums, spanColumns, underOf } from './span-sums.ts';

/*
 * On SQLite usage is summed up in memory as it is written, and filed a few times a minute; reading the entries back and
 * sorting them would cost ten times as much. Memory is only a cache: `usage_spans_filed` says up to which log entry
 * spans are complete, and is updated in the same transaction. Entries after it that are not in memory (after a crash,
 * or written by something else) are read from the log.
 */

const shortest = 300;
/** A larger step would block other writers for too long. */
const sumsAtOnce = 1_000;
const entriesAtOnce = 2_000;

interface Span {
  user: number;
  startsAt: number;
  model: string;
  channel: number;
  sums: SpanSums;
}

interface Recent {
  /** Covers the entries after this one up to `upTo`, except the missed ones. */
  after: number;
  upTo: number;
  missed: { after: number; upTo: number }[];
  spans: Map<string, Span>;
  /** Span of the previous entry: the next one usually belongs to it too. */
  last?: Span;
}

/** Sums of entries that are not filed yet. Filing removes them, and reads whatever is missing from the log. */
const recents = new WeakMap<Database, Recent>();

/** Call after the rows are committed. `last` is the id of the last one; the ids before it are consecutive. */
export function noteWritten(db: Database, rows: readonly UsageRow[], last: number): void {
  if (rows.length === 0) return;
  const first = last - rows.length + 1;
  const recent: Recent = recents.get(db) ?? { after: first - 1, upTo: first - 1, missed: [], spans: new Map() };
  // They were filed by now, or are among the missed ones.
  if (first <= recent.upTo) return;
  if (first > recent.upTo + 1) recent.missed.push({ after: recent.upTo, upTo: first - 1 });
  recent.upTo = last;
  for (const row of rows) count(recent, row);
  recents.set(db, recent);
}

function count(recent: Recent, { user_id, created_at, model_id, channel_id, quota, duration_ms }: UsageRow) {
  const startsAt = Math.floor(created_at / shortest) * shortest;
  const { last } = recent;
  const same =
    last?.user === user_id && last.startsAt === startsAt && last.channel === channel_id && last.model === model_id;
  recent.last = same ? last : spanOf(recent.spans, user_id, startsAt, model_id, channel_id);
  const { sums } = recent.last;
  sums.requests += 1;
  sums.quota += quota;
  sums.timed += 1;
  sums.duration_ms += duration_ms;
  const under = underOf(duration_ms);
  if (under) sums[under] += 1;
}

function spanOf(spans: Map<string, Span>, user: number, startsAt: number, model: string, channel: number): Span {
  const name = `${user} ${startsAt} ${channel} ${model}`;
  let span = spans.get(name);
  if (!span) {
    span = { user, startsAt, model, channel, sums: noSums() };
    spans.set(name, span);
  }
  return span;
}

/** Whether to file now, so that the next reader has little to do. */
export const isWorthFiling = (db: Database): boolean => (recents.get(db)?.spans.size ?? 0) >= sumsAtOnce;

const findBehind = `select up_to as "filed", coalesce((select max(id) from usage_logs), 0) as last from usage_spans_filed`;

/** Files some entries; false if nothing is left. Call inside a write transaction. */
export function fileSomeSpans(db: Database): boolean {
  const { filed, last } = prepared<{ filed: number; last: number }, []>(db, findBehind).get()!;
  let recent = recents.get(db);
  if (recent && recent.after < filed) {
    recents.delete(db);
    recent = undefined;
  }
  const unknown = recent?.after ?? last;
  if (filed < unknown) {
    const upTo = Math.min(filed + entriesAtOnce, unknown);
    addFromLog(db, filed, upTo);
    return noteFiled(db, upTo) < last;
  }
  if (!recent) return false;
  // Deleted even if the transaction fails: then the log is read instead.
  recents.delete(db);
  for (const { after, upTo } of recent.missed) addFromLog(db, after, upTo);
  for (const span of [...recent.spans.values(), ...ofAll(recent.spans)]) add(db, span);
  return noteFiled(db, recent.upTo) < last;
}

function noteFiled(db: Database, upTo: number): number {
  prepared(db, 'update usage_spans_filed set up_to = ?1').run(upTo);
  return upTo;
}

/** The same over all users. */
function ofAll(spans: Map<string, Span>): Iterable<Span> {
  const all = new Map<string, Span>();
  for (const { startsAt, model, channel, sums } of spans.values())
    addSums(spanOf(all, 0, startsAt, model, channel).sums, sums);
  return all.values();
}

const names = 'user_id, starts_at, length, model_id, channel_id';
const columns = spanColumns.join(', ');
const into = `insert into usage_spans (${names}, ${columns})`;
const conflict = `on conflict (${names}) do update set
  ${spanColumns.map((name) => `${name} = usage_spans.${name} + excluded.${name}`).join(', ')}`;
const addOne = `${into} values (?, ?, ${shortest}, ?, ?${', ?'.repeat(spanColumns.length)}) ${conflict}`;

const add = (db: Database, { user, startsAt, model, channel, sums }: Span): unknown =>
  prepared(db, addOne).run(user, startsAt, model, channel, ...spanColumns.map((name) => sums[name]));

const between = (at: number): string =>
  `duration_ms < ${durationBounds[at]}${at === 0 ? '' : ` and duration_ms >= ${durationBounds[at - 1]}`}`;
const counted = [
  ...['count(*)', '0', 'sum(quota)', 'count(*)', 'sum(duration_ms)'],
  ...durationBounds.map((_, at) => `sum(case when ${between(at)} then 1 else 0 end)`),
].join(', ');
const fromLog = (user: string): string => `${into}
  select ${user}, created_at / ${shortest} * ${shortest}, ${shortest}, model_id, channel_id, ${counted} from usage_logs
  where id > ?1 and id <= ?2 group by 1, 2, 4, 5 ${conflict}`;
const fromLogs = [fromLog('user_id'), fromLog('0')];

function addFromLog(db: Database, after: number, upTo: number): void {
  for (const statement of fromLogs) prepared(db, statement).run(after, upTo);
}
