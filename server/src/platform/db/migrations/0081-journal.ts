import type { Migration } from '../migration.ts';
import type { Engine } from '../tables.ts';

const lists = (names: readonly string[]): string => names.map((name) => `${name} bigint[] not null`).join(', ');
const changed = ['user_ids', 'key_ids', 'paid', 'used', 'requests'];
/** One row for each entry of the lists in `c`. */
const unlisted = `unnest(${changed.map((name) => `c.${name}`).join(', ')}) as e(user_id, key_id, paid, used, requests)`;

/** Rows live for a moment: whatever reads these tables would pass over what is left of those deleted. */
const shortLived = `with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, vacuum_truncate = off)`;

const tables = [
  // The ids order the entries. `paid` is what they took from the balances of `user_ids`.
  `create table usage_journal (
    id bigint generated always as identity primary key,
    noted_at timestamptz not null default now(),
    entries text not null,
    ${lists(['user_ids', 'paid'])}
  ) ${shortLived}`,
  `create table billing_changes (
    owner text not null,
    batch bigint not null,
    ${lists(changed)},
    primary key (owner, batch)
  ) ${shortLived}`,
];

/**
 * Adds an owner's changes to its allotments: called by the owner now and then, and whenever its row as a writer is
 * deleted, by any version, so that allotments are complete before another process empties them. Plain scans of an index
 * pass over deleted rows only once.
 */
const adding = [
  `create function svc_add_up_changes(given text) returns void language sql
    set enable_seqscan = off set enable_bitmapscan = off as $$
    with gone as (delete from billing_changes where owner = given returning ${changed.join(', ')})
    insert into billing_purses (owner, user_id, key_id, kept, used, requests)
    select given, user_id, key_id, -sum(e.paid), sum(e.used), sum(e.requests) from gone c, ${unlisted}
    group by user_id, key_id order by user_id, key_id
    on conflict (owner, user_id, key_id) do update set kept = billing_purses.kept + excluded.kept,
      used = billing_purses.used + excluded.used, requests = billing_purses.requests + excluded.requests $$`,
  `create function svc_writer_gone() returns trigger language plpgsql as $$ begin
    perform svc_add_up_changes(old.owner);
    return null; end $$`,
  `create trigger billing_writers_gone after delete on billing_writers
    for each row execute function svc_writer_gone()`,
];

/** Allotments as they are now: their rows, and what later batches changed. */
const allotments = (engine: Engine): string => `create view billing_allotments as
  select owner, user_id, key_id, kept, used, requests from billing_purses ${
    engine === 'sqlite'
      ? ''
      : `union all select c.owner, e.user_id, e.key_id, -e.paid, e.used, e.requests
  from billing_writers w join billing_changes c on c.owner = w.owner, ${unlisted}`
  }`;

const inAllotments = (column: string, whose: string): string =>
  `cast(coalesce((select sum(p.${column}) from billing_allotments p where ${whose}), 0) as bigint)`;
const ofUser = 'p.user_id = u.id and p.key_id = 0';
const ofKey = 'p.user_id = k.user_id and p.key_id = k.id';

/** The columns are those that they have had from the start. */
const views = [
  `create or replace view users_now as
    select u.id, u.username, u.username_key, u.password_hash, u.display_name, u.avatar_url, u.email, u.email_verified,
      u.role, u.status, u."group", u.created_at,
      u.quota + ${inAllotments('kept', ofUser)} as quota,
      u.used_quota + ${inAllotments('used', ofUser)} as used_quota,
      u.request_count + ${inAllotments('requests', ofUser)} as request_count
    from users u`,
  `create or replace view api_keys_now as
    select k.id, k.user_id, k.name, k.key_hash, k.key_start, k.key_end, k.status, k.created_time, k.accessed_time,
      k.expired_time, k.unlimited_quota, k.models, k.allowed_ips,
      k.remain_quota + ${inAllotments('kept', ofKey)} as remain_quota,
      k.used_quota + ${inAllotments('used', ofKey)} as used_quota
    from api_keys k`,
  `create or replace view budget_windows_now as
    select w.id, w.budget_id, w.starts_at, w.ends_at, w.warned,
      w.used + ${inAllotments('used', 'p.user_id = 0 and p.key_id = -w.id')} as used
    from budget_windows w`,
];

/**
 * On PostgreSQL a batch of charges only appends two rows: its entries of the log, and its changes of allotments. Both
 * are moved to where they belong many batches at a time. SQLite writes them there at once.
 */
export const migration: Migration = {
  name: '0081-journal',
  statements: ({ engine }) => [
    // Holds of jobs that outlive their process are few, beside the progress of every running stream.
    "create index billing_holds_durable on billing_holds (user_id) where owner = ''",
    ...(engine === 'sqlite' ? [allotments(engine)] : [...tables, ...adding, allotments(engine), ...views]),
  ],
};
