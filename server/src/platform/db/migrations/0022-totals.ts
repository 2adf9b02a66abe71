import type { Migration } from '../migration.ts';
import type { Engine } from '../tables.ts';

const sums = ['requests', 'prompt_tokens', 'completion_tokens', 'quota'];
const columns = `day, model_id, ${sums.join(', ')}`;
const grouped = `day, model_id, ${sums.map((name) => `sum(${name})`).join(', ')}`;

/**
 * On SQLite filed entries are added to the totals by the statement that records how far filing has come, so that every
 * entry is added exactly once. The few entries after that position are added up by the query.
 */
const onSqlite = [
  `create trigger usage_totals_filed after update of up_to on usage_filed when new.up_to > old.up_to begin
    insert into usage_totals (${columns})
    select created_at / 86400, model_id, count(*), sum(prompt_tokens), sum(completion_tokens), sum(quota) from usage_logs
    where id > old.up_to and id <= new.up_to group by 1, 2
    on conflict (day, model_id) do update set ${sums.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')};
  end`,
  `create view usage_totals_all as
    select ${columns} from usage_totals
    union all
    select created_at / 86400, model_id, 1, prompt_tokens, completion_tokens, quota from usage_logs
    where id > (select up_to from usage_filed)`,
];

const trigger = (name: string, event: string, tables: string, changes: string): string[] => [
  `create function svc_${name}() returns trigger language plpgsql as $$ begin
    insert into usage_totals_new (${columns}) select ${grouped} from (${changes}) as changes group by day, model_id;
    return null; end $$`,
  `create trigger ${name} after ${event} on usage_days referencing ${tables} for each statement execute function svc_${name}()`,
];

/**
 * On PostgreSQL triggers record every change of the sums per user, by any version, in rows of their own, because
 * processes updating the same total would wait for each other. Filing adds these rows to the totals.
 */
const onPostgres = [
  `create table usage_totals_new (
    day bigint not null, model_id text not null, ${sums.map((name) => `${name} bigint not null`).join(', ')}
  )`,
  ...trigger('usage_totals_added', 'insert', 'new table as added', `select ${columns} from added`),
  ...trigger(
    'usage_totals_changed',
    'update',
    'old table as before new table as after',
    `select ${columns} from after union all select day, model_id, ${sums.map((name) => `-${name}`).join(', ')} from before`,
  ),
  `create view usage_totals_all as
    select ${columns} from usage_totals
    union all select ${columns} from usage_totals_new
    union all select ${columns} from usage_days_open`,
  // Sums are now updated all day: with free space in the page, a new version of a row changes no index.
  'alter table usage_days set (fillfactor = 80)',
];

const changesOften = (engine: Engine): string => (engine === 'sqlite' ? ' without rowid' : ' with (fillfactor = 50)');

/**
 * Usage of all users per day and model; earlier days are added up one by one while the service runs. Also files by
 * purpose.
 */
export const migration: Migration = {
  name: '0022-totals',
  statements: ({ engine, int }) => [
    `create table usage_totals (
      day ${int} not null, model_id text not null, ${sums.map((name) => `${name} ${int} not null`).join(', ')},
      primary key (day, model_id)
    )${changesOften(engine)}`,
    'create index usage_totals_model on usage_totals (model_id, day)',
    // The day from which totals are complete.
    `create table usage_totals_whole (first_day ${int} not null)`,
    `insert into usage_totals_whole select coalesce(max(day) + 1, 0) from
      (select max(day) as day from usage_days union all select max(day) from usage_days_open) as newest`,
    ...(engine === 'sqlite' ? onSqlite : onPostgres),
    // Finding a user's files of a rare purpose scanned all of them.
    'create index files_purpose on files (user_id, purpose, ref)',
  ],
};
