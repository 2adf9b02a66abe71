import type { Migration } from '../migration.ts';

/** Rows that are changed whenever an allotment is filled: PostgreSQL writes the new one beside the old. */
const changesOften = ' with (fillfactor = 70)';

/**
 * Organisations, and budgets that hold at each of their levels. A request of an earlier version belongs to none, and writes
 * nothing of it.
 */
export const migration: Migration = {
  name: '0033-organisations',
  statements: ({ engine, id, int }) => [
    // `account_id` is a row of `users` that nobody can log in to: what the organisation has in common is in its balance, and
    // keys of teams are its keys.
    `create table organisations (
      id ${id},
      name text not null,
      time_zone text not null,
      balance text not null,
      account_id ${int} not null references users (id),
      webhook_url text not null default '',
      webhook_secret text not null default '',
      created_at ${int} not null
    )`,
    'create index organisations_of_accounts on organisations (account_id)',
    `create table organisation_teams (
      id ${id},
      organisation_id ${int} not null references organisations (id) on delete cascade,
      name text not null,
      created_at ${int} not null
    )`,
    'create index organisation_teams_of on organisation_teams (organisation_id)',
    `create table organisation_members (
      organisation_id ${int} not null references organisations (id) on delete cascade,
      user_id ${int} not null references users (id) on delete cascade,
      role text not null,
      created_at ${int} not null,
      primary key (organisation_id, user_id)
    )`,
    'create index organisation_members_by_user on organisation_members (user_id)',
    `create table organisation_team_members (
      team_id ${int} not null references organisation_teams (id) on delete cascade,
      user_id ${int} not null references users (id) on delete cascade,
      primary key (team_id, user_id)
    )`,
    'create index organisation_team_members_by_user on organisation_team_members (user_id)',
    `create table organisation_invitations (
      id ${id},
      organisation_id ${int} not null references organisations (id) on delete cascade,
      secret_hash text not null unique,
      email text not null,
      role text not null,
      team_id ${int} references organisation_teams (id) on delete cascade,
      invited_by ${int} not null,
      created_at ${int} not null,
      expires_at ${int} not null
    )`,
    'create index organisation_invitations_of on organisation_invitations (organisation_id)',
    'create index organisation_invitations_by_expiry on organisation_invitations (expires_at)',
    // No references: usage is listed by it after a key, a team or a member is gone. `member_id` is null for keys of teams.
    `create table organisation_keys (
      key_id ${int} primary key,
      organisation_id ${int} not null,
      team_id ${int},
      member_id ${int},
      name text not null,
      created_at ${int} not null
    )`,
    'create index organisation_keys_of on organisation_keys (organisation_id, key_id)',
    'create index organisation_keys_by_member on organisation_keys (member_id, key_id)',
    // The application itself is the account's.
    `create table organisation_applications (
      application_id ${int} primary key,
      organisation_id ${int} not null references organisations (id) on delete cascade,
      team_id ${int} not null,
      name text not null,
      created_at ${int} not null
    )`,
    'create index organisation_applications_of on organisation_applications (organisation_id, application_id)',
    // `level_id` is that of the organisation, the team, the user or the key.
    `create table organisation_budgets (
      id ${id},
      organisation_id ${int} not null references organisations (id) on delete cascade,
      level text not null,
      level_id ${int} not null,
      span text not null,
      amount ${int} not null,
      hard ${int} not null,
      alerts text not null,
      created_at ${int} not null,
      unique (organisation_id, level, level_id, span)
    )`,
    // What is left of a budget in one of its windows, less what processes keep of it, and what was used of it. `warned` is the
    // largest share, in thousandths, that was told. `ends_at` is 0 where there is no end.
    `create table budget_windows (
      id ${id},
      budget_id ${int} not null references organisation_budgets (id) on delete cascade,
      starts_at ${int} not null,
      ends_at ${int} not null,
      remain ${int} not null,
      used ${int} not null default 0,
      warned ${int} not null default 0,
      unique (budget_id, starts_at)
    )${engine === 'postgres' ? changesOften : ''}`,
    'create index budget_windows_by_end on budget_windows (ends_at)',
    `create view budget_windows_now as
      select w.id, w.budget_id, w.starts_at, w.ends_at, w.warned,
        w.used + cast(coalesce((select sum(p.used) from billing_purses p
          where p.user_id = 0 and p.key_id = -w.id), 0) as bigint) as used
      from budget_windows w`,
    // The windows that the amount was taken from besides: a JSON array of their ids, or nothing.
    "alter table billing_holds add column levels text not null default ''",
    `create table organisation_limits (
      organisation_id ${int} not null references organisations (id) on delete cascade,
      level text not null,
      level_id ${int} not null,
      requests_per_minute ${int} not null,
      tokens_per_minute ${int} not null,
      models text not null,
      providers text not null,
      primary key (organisation_id, level, level_id)
    )`,
    `create table organisation_warnings (
      id ${id},
      organisation_id ${int} not null references organisations (id) on delete cascade,
      budget_id ${int} not null,
      level text not null,
      level_id ${int} not null,
      span text not null,
      share ${int} not null,
      used ${int} not null,
      amount ${int} not null,
      starts_at ${int} not null,
      created_at ${int} not null
    )`,
    'create index organisation_warnings_of on organisation_warnings (organisation_id, id)',
    'create index organisation_warnings_by_time on organisation_warnings (created_at)',
  ],
};
