import type { Migration } from '../migration.ts';

/**
 * Channels and their models, with a counter that tells every process when either changed; routing preferences and
 * configurations, measurements, and the log of routing decisions.
 */
export const migration: Migration = {
  name: '0004-routing',
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
      prices text not null default '',
      created_at ${int} not null,
      updated_at ${int} not null,
      unique (channel_id, model_id)
    )`,
    'create index provider_models_model on provider_models (model_id)',
    `create table catalog_state (id ${int} primary key, version ${int} not null)`,
    'insert into catalog_state (id, version) values (1, 1)',
    `create table routing_preferences (
      user_id ${int} primary key,
      default_strategy text,
      preferred_providers text not null,
      blocked_providers text not null,
      max_price ${real},
      min_success_rate ${real},
      max_latency_ms ${int},
      updated_at ${int} not null
    )`,
    `create table routing_configs (
      model_id text primary key,
      latency_weight ${real} not null,
      success_rate_weight ${real} not null,
      price_weight ${real} not null,
      provider_priority_weight ${real} not null,
      default_strategy text,
      updated_at ${int} not null
    )`,
    `create table routing_metric_totals (
      provider text not null,
      model_id text not null,
      channel_id ${int} not null,
      total_requests ${int} not null,
      prompt_tokens ${int} not null,
      completion_tokens ${int} not null,
      quality_score ${real} not null,
      updated_at ${int} not null,
      primary key (provider, model_id, channel_id)
    )`,
    `create table routing_metric_shares (
      provider text not null,
      model_id text not null,
      channel_id ${int} not null,
      process text not null,
      share text not null,
      updated_at ${int} not null,
      primary key (provider, model_id, channel_id, process)
    )`,
    'create index routing_metric_shares_age on routing_metric_shares (updated_at)',
    `create table routing_decisions (
      id ${id},
      request_id text not null,
      user_id ${int} not null,
      model_id text not null,
      provider text,
      channel_id ${int},
      strategy text not null,
      reason text not null,
      outcome text not null,
      duration_ms ${int} not null,
      candidates text not null,
      attempts text not null,
      choice_id ${int},
      created_at ${int} not null
    )`,
    'create index routing_decisions_request on routing_decisions (request_id)',
    'create index routing_decisions_user on routing_decisions (user_id, id)',
    // Most requests for a model are decided the same way for a minute; the reasons are stored once for all of them.
    `create table routing_choices (
      id ${id},
      strategy text not null,
      reason text not null,
      candidates text not null,
      created_at ${int} not null
    )`,
    'create index routing_choices_age on routing_choices (created_at)',
  ],
};
