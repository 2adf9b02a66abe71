import type { Migration } from '../migration.ts';

/** Channels, the models they serve, and a counter that tells every process when either changed. */
export const migration: Migration = {
  name: '0004-catalog',
  statements: ({ id, int, real }) => [
    `create table channels (
      id ${id},
      name text not null,
      provider text not null,
      kind text not null,
      base_url text not null,
      credential text not null,
      priority ${int} not null,
      weight ${real} not null,
      status ${int} not null,
      models text not null,
      group_name text not null,
      timeout_ms ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null
    )`,
    `create table provider_models (
      id ${id},
      model_id text not null,
      channel_id ${int} not null references channels (id) on delete cascade,
      model_name text not null,
      type text not null,
      prompt_price ${real} not null,
      completion_price ${real} not null,
      request_price ${real} not null,
      context_length ${int} not null,
      max_output_tokens ${int} not null,
      status ${int} not null,
      quality_score ${real} not null,
      capabilities text not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      unique (channel_id, model_id)
    )`,
    'create index provider_models_model on provider_models (model_id)',
    `create table catalog_state (id ${int} primary key, version ${int} not null)`,
    'insert into catalog_state (id, version) values (1, 1)',
  ],
};
