import type { Generated } from 'kysely';

export interface PreferencesTable {
  user_id: number;
  default_strategy: string | null;
  /** JSON arrays of provider names. */
  preferred_providers: string;
  blocked_providers: string;
  max_price: number | null;
  min_success_rate: number | null;
  max_latency_ms: number | null;
  updated_at: number;
}

export interface ConfigTable {
  model_id: string;
  latency_weight: number;
  success_rate_weight: number;
  price_weight: number;
  provider_priority_weight: number;
  default_strategy: string | null;
  updated_at: number;
}

/** Sums since the first request, updated by every process. */
interface MetricTotalsTable {
  provider: string;
  model_id: string;
  channel_id: number;
  total_requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  quality_score: number;
  updated_at: number;
}

/** The last hour as one process saw it; rows are merged when read, and swept when older. */
interface MetricSharesTable {
  provider: string;
  model_id: string;
  channel_id: number;
  process: string;
  /** JSON, see window.ts. */
  share: string;
  updated_at: number;
}

export interface DecisionTable {
  id: Generated<number>;
  request_id: string;
  user_id: number;
  model_id: string;
  /** Null if no candidate could be called. */
  provider: string | null;
  channel_id: number | null;
  /** The row with strategy, reason and candidates if decisions share them; then they are empty here. */
  choice_id: number | null;
  strategy: string;
  reason: string;
  outcome: string;
  duration_ms: number;
  /** JSON. */
  candidates: string;
  attempts: string;
  /** Id of the turn or run that made the request; null for a client's own request. */
  parent_request_id: string | null;
  created_at: number;
}

export interface ChoiceTable {
  id: Generated<number>;
  strategy: string;
  reason: string;
  /** JSON. */
  candidates: string;
  created_at: number;
}

/** Usage of a channel's credential on one day, updated by every process. */
export interface CredentialDayTable {
  credential_id: number;
  /** Days since 1970, UTC. */
  day: number;
  requests: number;
  failures: number;
  tokens: number;
  /** At the prices of the models, in quota units, whoever paid. */
  spent: number;
}

export interface OwnKeyTable {
  id: Generated<number>;
  /** 0 for keys of teams. */
  user_id: number;
  team_id: Generated<number | null>;
  provider: string;
  name: string;
  /** Encrypted. */
  credential: string;
  /** 1 if the operator's keys may be used, at their price, when this key does not work. */
  fallback: number;
  status: number;
  created_at: number;
  updated_at: number;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    routing_preferences: PreferencesTable;
    routing_configs: ConfigTable;
    routing_metric_totals: MetricTotalsTable;
    routing_metric_shares: MetricSharesTable;
    routing_decisions: DecisionTable;
    routing_choices: ChoiceTable;
    routing_credential_days: CredentialDayTable;
    routing_own_keys: OwnKeyTable;
  }
}
