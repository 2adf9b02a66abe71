import type { Migration } from '../migration.ts';
import type { Engine } from '../tables.ts';

/**
 * For rows that change with every batch and never grow: leaves PostgreSQL room for the new version in the same page.
 */
const changesOften = (engine: Engine): string => (engine === 'sqlite' ? ' without rowid' : ' with (fillfactor = 30)');

const inAllotments = (column: string, whose: string): string =>
  `cast(coalesce((select sum(p.${column}) from billing_purses p where ${whose}), 0) as bigint)`;

const ofUser = 'p.user_id = u.id and p.key_id = 0';
const ofKey = 'p.user_id = k.user_id and p.key_id = k.id';

/**
 * A process reserves a part of a user's balance or a key's quota in an allotment of its own, and charges requests to it
 * in memory. What a user has is the balance plus all allotments. `billing_reserves` stays for processes of the previous
 * release, and is taken over like an allotment; the next release drops it.
 */
export const migration: Migration = {
  name: '0008-purses',
  statements: ({ engine, int }) => [
    // The last batch written by each process: a batch sent twice is written once, and one of a process considered dead
    // not at all.
    `create table billing_writers (
      owner text primary key,
      batch ${int} not null
    )${changesOften(engine)}`,
    // `key_id` 0 is a user's balance, any other the quota of that key. `used` and `requests` are not in the user's row
    // yet.
    `create table billing_purses (
      owner text not null,
      user_id ${int} not null,
      key_id ${int} not null,
      kept ${int} not null,
      used ${int} not null,
      requests ${int} not null,
      wanted ${int} not null default 0,
      primary key (owner, user_id, key_id)
    )${changesOften(engine)}`,
    'create index billing_purses_user on billing_purses (user_id, key_id)',
    // Daily sums as one process wrote them; merged into `usage_days` when it ends.
    `create table usage_days_open (
      owner text not null,
      user_id ${int} not null,
      day ${int} not null,
      model_id text not null,
      key_id ${int} not null,
      requests ${int} not null,
      prompt_tokens ${int} not null,
      completion_tokens ${int} not null,
      quota ${int} not null,
      primary key (owner, user_id, day, model_id, key_id)
    )${changesOften(engine)}`,
    'create index usage_days_open_user on usage_days_open (user_id, day)',
    `create view usage_days_all as
      select user_id, day, model_id, key_id, requests, prompt_tokens, completion_tokens, quota from usage_days
      union all
      select user_id, day, model_id, key_id, requests, prompt_tokens, completion_tokens, quota from usage_days_open`,
    `create view users_now as
      select u.id, u.username, u.username_key, u.password_hash, u.display_name, u.avatar_url, u.email, u.email_verified,
        u.role, u.status, u."group", u.created_at,
        u.quota + ${inAllotments('kept', ofUser)} as quota,
        u.used_quota + ${inAllotments('used', ofUser)} as used_quota,
        u.request_count + ${inAllotments('requests', ofUser)} as request_count
      from users u`,
    `create view api_keys_now as
      select k.id, k.user_id, k.name, k.key_hash, k.key_start, k.key_end, k.status, k.created_time, k.accessed_time,
        k.expired_time, k.unlimited_quota, k.models, k.allowed_ips,
        k.remain_quota + ${inAllotments('kept', ofKey)} as remain_quota,
        k.used_quota + ${inAllotments('used', ofKey)} as used_quota
      from api_keys k`,
  ],
};
