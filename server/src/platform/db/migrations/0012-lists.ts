import type { Migration } from '../migration.ts';
import type { Engine } from '../tables.ts';
import { sqliteGrams } from './grams.ts';

/** Filters of the log besides user and key; on SQLite entries are filed into these indexes along with the others. */
const usageIndexes = (engine: Engine): string[] =>
  engine === 'sqlite'
    ? [
        'create index usage_logs_time on usage_logs (created_at) where filed = 1',
        'create index usage_logs_model on usage_logs (model_id, created_at) where filed = 1',
      ]
    : [];

/** By model and key, newest day first: they show on which days the log has entries. */
const sumIndexes = [
  'create index usage_days_user_model on usage_days (user_id, model_id, day)',
  'create index usage_days_key on usage_days (key_id, day)',
  'create index usage_days_model on usage_days (model_id, day)',
  'create index usage_days_open_key on usage_days_open (key_id, day)',
  'create index usage_days_open_model on usage_days_open (model_id, day)',
  'create index usage_days_open_day on usage_days_open (day)',
];

const auditIndexes = [
  'create index audit_log_time on audit_log (created_at, id)',
  'create index audit_log_action on audit_log (action, created_at, id)',
  'create index audit_log_actor on audit_log (actor_id, created_at, id)',
  'create index audit_log_target on audit_log (target_type, target_id, created_at, id)',
  // Actors that are not users are rare.
  "create index audit_log_actor_name on audit_log (created_at, id) where actor_name <> ''",
];

const applicationIndexes = ['create index oauth_applications_status on oauth_applications (status, id)'];

/** Everything a user can be found by, as one text, with separators so that a match never spans two names. */
const namesOf = (row: string): string =>
  ['username', 'display_name', 'email'].map((name) => `lower(${row}${name})`).join(` || ' ' || `);

/** Finds users by any part of their names. */
function nameIndex(engine: Engine): string[] {
  if (engine === 'postgres')
    return [
      `create function svc_grams(given text) returns tsvector language sql immutable parallel safe cost 1000 as $$
        select coalesce(array_to_tsvector(array_agg(distinct encode(convert_to(substr(given, i, 3), 'UTF8'), 'hex'))), '')
        from generate_series(1, length(given)) as i $$`,
      `create index users_names on users using gin (svc_grams(${namesOf('')}))`,
    ];
  const grams = (row: string) => sqliteGrams(namesOf(row));
  return [
    `create virtual table users_names using fts5 (
      grams, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
    )`,
    `create trigger users_names_added after insert on users begin
      insert into users_names (rowid, grams) values (new.id, (${grams('new.')}));
    end`,
    `create trigger users_names_changed after update of username, display_name, email on users begin
      delete from users_names where rowid = old.id;
      insert into users_names (rowid, grams) values (new.id, (${grams('new.')}));
    end`,
    `create trigger users_names_gone after delete on users begin delete from users_names where rowid = old.id; end`,
    `insert into users_names (rowid, grams) select u.id, (${grams('u.')}) from users u`,
  ];
}

const columns = `
  id bigint not null default nextval('usage_logs_ids'),
  request_id text not null,
  user_id bigint not null,
  key_id bigint not null,
  model_id text not null,
  endpoint text not null,
  provider text not null,
  channel_id bigint not null,
  prompt_tokens bigint not null,
  completion_tokens bigint not null,
  cache_read_tokens bigint not null,
  cache_write_tokens bigint not null,
  reasoning_tokens bigint not null,
  cache_write_1h_tokens bigint not null default 0,
  audio_in_tokens bigint not null default 0,
  image_in_tokens bigint not null default 0,
  audio_out_tokens bigint not null default 0,
  estimated bigint not null default 0,
  units double precision not null,
  quota bigint not null,
  shortfall bigint not null,
  stream bigint not null,
  status text not null,
  duration_ms bigint not null,
  first_token_ms bigint not null,
  balance_after bigint not null default 0,
  cost_parts text not null default '',
  created_at bigint not null`;

/**
 * Partitions the log by month, so that a month can be dropped. Existing rows become one partition, up to the end of the
 * month of the last entry. Rows without a partition go to `usage_logs_rest`, so that no insert fails.
 */
const partitions = (engine: Engine): string[] =>
  engine === 'sqlite'
    ? []
    : [
        'alter table usage_logs rename to usage_logs_before',
        'alter table usage_logs_before alter column id drop identity',
        'create sequence usage_logs_ids',
        "select setval('usage_logs_ids', greatest(1, max(id)), max(id) is not null) from usage_logs_before",
        'alter table usage_logs_before drop constraint usage_logs_pkey',
        'alter index usage_logs_user rename to usage_logs_before_user',
        'alter index usage_logs_key rename to usage_logs_before_key',
        `create table usage_logs (${columns}, primary key (created_at, id)) partition by range (created_at)`,
        'create index usage_logs_user on usage_logs (user_id, created_at, id)',
        'create index usage_logs_key on usage_logs (key_id, created_at, id)',
        'create index usage_logs_model on usage_logs (model_id, created_at, id)',
        'alter sequence usage_logs_ids owned by usage_logs.id',
        'create table usage_logs_rest partition of usage_logs default',
        `do $$
        declare
          last bigint := (select max(created_at) from usage_logs_before);
          month timestamp := date_trunc('month', now() at time zone 'UTC');
        begin
          if last is null then
            drop table usage_logs_before;
          else
            month := greatest(month, date_trunc('month', to_timestamp(last) at time zone 'UTC') + interval '1 month');
            alter table usage_logs_before alter column id set default nextval('usage_logs_ids');
            execute format('alter table usage_logs attach partition usage_logs_before for values from (minvalue) to (%s)',
              extract(epoch from month)::bigint);
          end if;
          for i in 0..2 loop
            execute format('create table %I partition of usage_logs for values from (%s) to (%s)',
              'usage_logs_' || to_char(month, 'YYYY_MM'), extract(epoch from month)::bigint,
              extract(epoch from month + interval '1 month')::bigint);
            month := month + interval '1 month';
          end loop;
        end $$`,
        // The highest id can no longer be read from an index.
        `create or replace function svc_opening_balance() returns trigger language plpgsql as $$ begin
          insert into credits (user_id, amount, balance_after, note, actor_id, place, created_at)
          values (new.id, new.quota, new.quota, 'Opening balance', 0,
            coalesce(pg_sequence_last_value('usage_logs_ids'), 0), new.created_at);
          return null; end $$`,
      ];

/** An index for every filter of a list, and the usage log in partitions that can be dropped. */
export const migration: Migration = {
  name: '0012-lists',
  statements: ({ engine }) => [
    ...partitions(engine),
    ...usageIndexes(engine),
    ...sumIndexes,
    ...auditIndexes,
    ...applicationIndexes,
    ...nameIndex(engine),
  ],
};
