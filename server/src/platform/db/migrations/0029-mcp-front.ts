import type { Migration } from '../migration.ts';

/**
 * Clients also use MCP servers through the gateway: which capabilities besides tools are forwarded, the owner of a
 * server, its open sessions, and calls waiting for approval.
 */
export const migration: Migration = {
  name: '0029-mcp-front',
  statements: ({ id, int }) => [
    // Defaults match the behaviour of the previous version, which may still write beside this one.
    `alter table mcp_servers add column offers text not null default '[]'`,
    // Whether static headers authenticate, or each user signs in.
    `alter table mcp_servers add column auth text not null default 'headers'`,
    `create table mcp_grants (
      server_id ${int} not null references mcp_servers (id) on delete cascade,
      user_id ${int} not null references users (id) on delete cascade,
      grant_sealed text not null,
      state_hash text unique,
      updated_at ${int} not null,
      primary key (server_id, user_id)
    )`,
    'create index mcp_grants_by_user on mcp_grants (user_id)',
    // Null for servers of the operator.
    `alter table mcp_servers add column owner_id ${int} references users (id) on delete cascade`,
    'create index mcp_servers_by_owner on mcp_servers (owner_id)',
    `alter table mcp_tools add column further text not null default ''`,
    `create table mcp_sessions (
      server_id ${int} not null references mcp_servers (id) on delete cascade,
      holder text not null,
      opened_with text not null,
      session text not null,
      used_at ${int} not null,
      primary key (server_id, holder)
    )`,
    'create index mcp_sessions_by_use on mcp_sessions (used_at)',
    'create index mcp_sessions_by_holder on mcp_sessions (holder)',
    `create table mcp_approvals (
      id ${id},
      user_id ${int} not null references users (id) on delete cascade,
      server_id ${int} not null references mcp_servers (id) on delete cascade,
      tool text not null,
      arguments text not null,
      arguments_hash text not null,
      state text not null,
      created_at ${int} not null,
      expires_at ${int} not null,
      unique (user_id, server_id, tool, arguments_hash)
    )`,
    'create index mcp_approvals_by_expiry on mcp_approvals (expires_at)',
    'create index mcp_approvals_by_server on mcp_approvals (server_id)',
  ],
};
