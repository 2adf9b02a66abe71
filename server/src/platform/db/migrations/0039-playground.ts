import type { Migration } from '../migration.ts';

/** Chats of the playground, each in one row, and the system prompts that a user has saved. */
export const migration: Migration = {
  name: '0039-playground',
  statements: ({ id, int }) => [
    // Its content last: lists and sums read a row as far as what they need.
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
