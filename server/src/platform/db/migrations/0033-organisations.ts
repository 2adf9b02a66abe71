import type { Migration } from '../migration.ts';

/**
 * For rows that change whenever an allotment is topped up: leaves PostgreSQL room for the new version in the same page.
 */
const changesOften = ' with (fillfactor = 70)';

/**
 * Organisations, with budgets at each of their levels. Requests of an earlier version belong to none and write nothing
 * here.
 */
export const migration: Migration = {
  name: '0033-organisations',
  statements: ({ engine, id, int }) => [
    // `account_id` is a row of `users` that nobody can log in to: it has the organisation's balance and owns the keys
    // of teams.
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
    // No foreign keys: usage is listed by it after a key, a team or a member is deleted. `member_id` is null for keys
    // of teams.
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
    // The application itself belongs to the account.
    `create table organisation_applications (
      application_id ${int} primary key,
      organisation_id ${int} not null references organisations (id) on delete cascade,
      team_id ${int} not null,
      name text not null,
      created_at ${int} not null
    )`,
    'create index organisation_applications_of on organisation_applications (organisation_id, application_id)',
    // `level_id` is the id of the organisation, team, user or key.
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
    // What is left of a budget in one of its windows, without what processes have reserved, and what was used. `warned`
    // is the highest threshold, in thousandths, for which a warning was sent. `ends_at` is 0 if it never ends.
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
    // Budget windows that the amount was taken from as well: a JSON array of ids, or empty.
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
