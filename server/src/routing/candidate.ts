import type { Price } from '../lib/money.ts';
import type { ChannelKind } from '../lib/vendors/vendor.ts';

export const modelTypes = [
  'chat',
  'embedding',
  'image',
  'speech',
  'transcription',
  'moderation',
  'rerank',
  'video',
  'realtime',
] as const;
export type ModelType = (typeof modelTypes)[number];

/** Usage limits of one key; null for no limit. */
export interface CredentialLimits {
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
  /** In quota units, at the prices of the models. */
  spendPerDay: number | null;
}

/** A key of a channel. */
export interface Credential {
  id: number;
  /** Decrypted; only ever held in memory. */
  secret: string;
  /** It is the one in the channel's row. */
  first: boolean;
  weight: number;
  /** Null if there are none. */
  limits: CredentialLimits | null;
}

/** One base URL of one provider, ready for use: its credential is decrypted, in memory only. */
export interface Channel {
  id: number;
  name: string;
  provider: string;
  kind: ChannelKind;
  baseUrl: string;
  credential: string;
  /** Set if there are several keys, or one with limits; `credential` is the first of them. See keyed-candidates.ts. */
  credentials?: readonly Credential[] | undefined;
  priority: number;
  weight: number;
  group: string;
  timeoutMs: number;
}

/** What routing chooses between: a model served by a channel under an upstream name at a price. */
export interface Candidate {
  /** `provider|model|channel`, the key of circuit breaker and metrics. */
  key: string;
  channel: Channel;
  /** Public name, as in the request. */
  modelId: string;
  /** Name at the upstream. */
  modelName: string;
  type: ModelType;
  price: Price;
  contextLength: number;
  maxOutputTokens: number;
  /** The configured score of the provider model, used until quality is measured. */
  qualityScore: number;
  capabilities: Record<string, unknown>;
  /** Set if it is called with one of several keys; its channel then has only that key. */
  via?: Via | undefined;
}

export interface Via {
  /** The candidate that is ranked and measured. */
  base: Candidate;
  credential: Credential;
  /** The key belongs to the user or their team. */
  own: boolean;
  /** It is the team's, and the user is only a member. */
  entrusted?: true;
}

export const candidateKey = (provider: string, modelId: string, channelId: number): string =>
  `${provider}|${modelId}|${channelId}`;
