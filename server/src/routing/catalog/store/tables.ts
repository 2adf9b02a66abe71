import type { Generated } from 'kysely';
import type { ChannelKind } from '../../../lib/vendors/vendor.ts';
import type { ModelType } from '../../candidate.ts';

/** Status of channels, their credentials, provider models and aliases. */
export const enabled = 1;
export const disabled = 2;

export interface ChannelTable {
  id: Generated<number>;
  name: string;
  provider: string;
  kind: ChannelKind;
  base_url: string;
  /** Encrypted; empty if the upstream needs none. */
  credential: string;
  priority: number;
  weight: number;
  status: number;
  /** JSON array of names for legacy channel routing. */
  models: string;
  group_name: string;
  timeout_ms: number;
  created_at: number;
  updated_at: number;
}

export interface ProviderModelTable {
  id: Generated<number>;
  model_id: string;
  channel_id: number;
  model_name: string;
  type: ModelType;
  prompt_price: number;
  completion_price: number;
  request_price: number;
  /** JSON object of separately priced parts; empty if never set. */
  prices: Generated<string>;
  context_length: number;
  max_output_tokens: number;
  status: number;
  quality_score: number;
  /** JSON object. */
  capabilities: string;
  created_at: number;
  updated_at: number;
}

export interface CredentialTable {
  id: Generated<number>;
  channel_id: number;
  name: string;
  /** Encrypted; empty for a channel's first credential, whose key is in the channel's row. */
  credential: string;
  weight: number;
  status: number;
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  /** In quota units. */
  spend_per_day: number | null;
  created_at: number;
  updated_at: number;
}

/** Another name for a model, or one name for several. */
export interface ModelAliasTable {
  id: Generated<number>;
  name: string;
  /** JSON array of public ids, in the order to try them. */
  models: string;
  status: number;
  created_at: number;
  updated_at: number;
}

/** One row, incremented with every change, so that a process can check cheaply whether its snapshot is stale. */
interface CatalogStateTable {
  id: number;
  version: number;
}

declare module '../../../platform/db/tables.ts' {
  interface Tables {
    channels: ChannelTable;
    channel_credentials: CredentialTable;
    model_aliases: ModelAliasTable;
    provider_models: ProviderModelTable;
    catalog_state: CatalogStateTable;
  }
}
