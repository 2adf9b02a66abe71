import type { Migration } from '../migration.ts';

/** What users and administrators set for routing, what was measured, and why each request went where it went. */
export const migration: Migration = {
  name: '0005-routing',
  statements: ({ id, int, real }) => [
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
      created_at ${int} not null
    )`,
    'create index routing_decisions_request on routing_decisions (request_id)',
    'create index routing_decisions_user on routing_decisions (user_id, id)',
  ],
};
