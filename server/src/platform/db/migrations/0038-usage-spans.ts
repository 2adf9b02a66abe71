import type { Migration } from '../migration.ts';
import type { Engine } from '../tables.ts';

/** Histogram bounds in milliseconds; the number of slower answers is `timed` minus all columns. */
const bounds = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000];
const under = bounds.map((ms) => `under_${ms}`);
const sums = ['requests', 'failures', 'quota', 'timed', 'duration_ms', ...under];
const names = 'model_id, channel_id';
const columns = sums.join(', ');
const addedTo = sums.map((name) => `${name} = usage_spans.${name} + excluded.${name}`).join(', ');
const conflict = `on conflict (user_id, starts_at, length, ${names}) do update set ${addedTo}`;

/** Five minutes, the shortest span. */
const startOf = (seconds: string): string => `${seconds} / 300 * 300`;

const between = (at: number): string =>
  `duration_ms < ${bounds[at]}${at === 0 ? '' : ` and duration_ms >= ${bounds[at - 1]}`}`;
const usedSums = [
  ...['count(*)', '0', 'sum(quota)', 'count(*)', 'sum(duration_ms)'],
  ...bounds.map((_, at) => `sum(case when ${between(at)} then 1 else 0 end)`),
].join(', ');

/**
 * Callers can send any model name: failures only keep it if a channel was called, or if quota or channels were missing.
 */
const knownName = `case when channel_id is not null or code in ('insufficient_user_quota', 'insufficient_key_quota',
    'budget_exceeded', 'no_available_provider', 'capacity_exhausted') then model_id else '' end`;
const noAnswer = sums.map((name) => (name === 'failures' ? 'count(*)' : '0')).join(', ');

/**
 * On SQLite the process that writes the log adds it up and records up to which entry. Failures are few and written in
 * the background, and count at once.
 */
function onSqlite(): string[] {
  const failed = (user: string) => `insert into usage_spans (user_id, starts_at, length, ${names}, ${columns})
      select ${user}, ${startOf('new.created_at')}, 300, ${knownName.replaceAll(/\b(channel_id|code|model_id)\b/g, 'new.$1')},
        coalesce(new.channel_id, 0), ${noAnswer.replaceAll('count(*)', '1')} where true ${conflict};`;
  return [
    'create table usage_spans_filed (up_to integer not null)',
    // Earlier entries are in the daily sums.
    'insert into usage_spans_filed select coalesce(max(id), 0) from usage_logs',
    `create trigger usage_spans_failed after insert on failed_requests begin
      ${failed('new.user_id')} ${failed('0')}
    end`,
    'create view usage_spans_all as select * from usage_spans',
  ];
}

/**
 * On PostgreSQL triggers record what every statement adds to the logs, by any version, in rows of their own; filing
 * adds them up.
 */
function onPostgres(): string[] {
  const noted = `starts_at, user_id, ${names}`;
  const trigger = (name: string, table: string, selected: string) => [
    `create function svc_${name}() returns trigger language plpgsql as $$ begin
      insert into usage_spans_new (${noted}, ${columns}) ${selected};
      return null; end $$`,
    `create trigger ${name} after insert on ${table} referencing new table as added
      for each statement execute function svc_${name}()`,
  ];
  const ofAll = (user: string) => `select ${user}, starts_at, 300, ${names}, ${columns} from usage_spans_new`;
  return [
    `create table usage_spans_new (
      starts_at bigint not null, user_id bigint not null, model_id text not null, channel_id bigint not null,
      ${sums.map((name) => `${name} bigint not null`).join(', ')}
    )`,
    ...trigger(
      'usage_spans_used',
      'usage_logs',
      `select ${startOf('created_at')}, user_id, ${names}, ${usedSums} from added group by 1, 2, 3, 4`,
    ),
    ...trigger(
      'usage_spans_failed',
      'failed_requests',
      `select ${startOf('created_at')}, user_id, ${knownName}, coalesce(channel_id, 0), ${noAnswer} from added
        group by 1, 2, 3, 4`,
    ),
    `create view usage_spans_all as
      select user_id, starts_at, length, ${names}, ${columns} from usage_spans
      union all ${ofAll('user_id')} union all ${ofAll('0')}`,
  ];
}

const changesOften = (engine: Engine): string => (engine === 'sqlite' ? ' without rowid' : ' with (fillfactor = 50)');
const today = (engine: Engine): string =>
  engine === 'sqlite' ? `unixepoch() / 86400` : 'floor(extract(epoch from now()) / 86400)';

/** Daily sums have no channel, time or failures; a month of them is a start for the overview. */
const before = (engine: Engine, user: string): string => {
  const known: Record<string, string> = { requests: 'sum(requests)', quota: 'sum(quota)' };
  return `insert into usage_spans (user_id, starts_at, length, ${names}, ${columns})
    select ${user}, day * 86400, 86400, model_id, 0, ${sums.map((name) => known[name] ?? '0').join(', ')}
    from usage_days_all where day > ${today(engine)} - 31 group by 1, 2, 4`;
};

/**
 * Usage and failures per span of time, by user, model and channel; user 0 stands for all users. Recent spans are short,
 * and are merged as they age.
 */
export const migration: Migration = {
  name: '0038-usage-spans',
  statements: ({ engine, int }) => [
    `create table usage_spans (
      user_id ${int} not null, starts_at ${int} not null, length ${int} not null,
      model_id text not null, channel_id ${int} not null,
      ${sums.map((name) => `${name} ${int} not null`).join(', ')},
      primary key (user_id, starts_at, length, ${names})
    )${changesOften(engine)}`,
    'create index usage_spans_age on usage_spans (length, starts_at, user_id)',
    ...(engine === 'sqlite' ? onSqlite() : onPostgres()),
    before(engine, 'user_id'),
    before(engine, '0'),
  ],
};
