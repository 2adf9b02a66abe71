import type { Migration } from '../migration.ts';

/** Stored data of the Responses API: responses, their items, conversations, and events of running responses. */
export const migration: Migration = {
  name: '0019-responses',
  statements: ({ id, int }) => [
    `create table kept_responses (
      id text primary key,
      user_id ${int} not null,
      key_id ${int} not null,
      status text not null,
      model text not null,
      background ${int} not null,
      previous_id text,
      conversation_id text,
      place ${int},
      response text not null,
      request text,
      items ${int} not null,
      bytes ${int} not null,
      epoch ${int} not null default 0,
      last_seq ${int} not null default -1,
      told ${int} not null default 0,
      created_at ${int} not null,
      touched_at ${int} not null,
      ended_at ${int}
    )`,
    'create index kept_responses_user on kept_responses (user_id, id)',
    'create index kept_responses_touched on kept_responses (touched_at)',
    // Partial indexes: nearly all responses have ended, and few ever ran in the background.
    'create index kept_responses_running on kept_responses (user_id, touched_at) where ended_at is null',
    'create index kept_responses_told on kept_responses (ended_at) where told = 1',
    `create table kept_items (
      ref ${id},
      user_id ${int} not null,
      key_id ${int} not null,
      item_id text not null,
      response_id text,
      position ${int},
      made ${int} not null,
      conversation_id text,
      place ${int},
      body text not null
    )`,
    'create index kept_items_named on kept_items (user_id, key_id, item_id, ref)',
    'create index kept_items_response on kept_items (response_id, position) where response_id is not null',
    'create index kept_items_conversation on kept_items (conversation_id, place) where conversation_id is not null',
    `create table kept_conversations (
      id text primary key,
      user_id ${int} not null,
      key_id ${int} not null,
      metadata text not null,
      items ${int} not null,
      bytes ${int} not null,
      next_place ${int} not null,
      created_at ${int} not null,
      touched_at ${int} not null
    )`,
    'create index kept_conversations_user on kept_conversations (user_id, id)',
    'create index kept_conversations_touched on kept_conversations (touched_at)',
    `create table kept_events (
      response_id text not null,
      seq ${int} not null,
      data text not null,
      primary key (response_id, seq)
    )`,
  ],
};
