import type { Migration } from '../migration.ts';

/** Chats of the playground, one row each, and users' saved system prompts. */
export const migration: Migration = {
  name: '0039-playground',
  statements: ({ id, int }) => [
    // The content is the last column, so that lists and sums do not read it.
    `create table playground_chats (
      id ${id},
      user_id ${int} not null,
      chat_id text not null,
      name text not null,
      models text not null,
      bytes ${int} not null,
      version ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      content text not null,
      unique (user_id, chat_id)
    )`,
    'create index playground_chats_latest on playground_chats (user_id, updated_at, id)',
    `create table playground_presets (
      id ${id},
      user_id ${int} not null,
      name text not null,
      prompt text not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      unique (user_id, name)
    )`,
  ],
};
