import type { Migration } from '../migration.ts';

/**
 * MCP servers connected by the operator, and their approved tools, each with the definition at the time of approval.
 */
export const migration: Migration = {
  name: '0018-mcp',
  statements: ({ id, int }) => [
    `create table mcp_servers (
      id ${id},
      name text not null unique,
      url text not null,
      headers text not null,
      header_names text not null,
      enabled ${int} not null,
      timeout_ms ${int} not null,
      audience text not null,
      user_ids text not null,
      created_at ${int} not null,
      updated_at ${int} not null
    )`,
    `create table mcp_tools (
      server_id ${int} not null references mcp_servers (id) on delete cascade,
      name text not null,
      ask_first ${int} not null,
      description text not null,
      input_schema text not null,
      definition text not null,
      approved_at ${int} not null,
      primary key (server_id, name)
    )`,
  ],
};
