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

/** What one key may be used for; null for no limit. */
export interface CredentialLimits {
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
  /** In quota, at the prices of the models. */
  spendPerDay: number | null;
}

/** A key of a channel. */
export interface Credential {
  id: number;
  /** In the clear, in memory only. */
  secret: string;
  weight: number;
  /** Null where there are none. */
  limits: CredentialLimits | null;
}

/** One base URL of one provider, ready for use: the credential is in the clear, in memory only. */
export interface Channel {
  id: number;
  name: string;
  provider: string;
  kind: ChannelKind;
  baseUrl: string;
  credential: string;
  /** Where there are several, or one with limits; `credential` is the first of them. See `ways.ts`. */
  credentials?: readonly Credential[] | undefined;
  priority: number;
  weight: number;
  group: string;
  timeoutMs: number;
}

/** What routing chooses among: a model served by a channel under an upstream name at a price. */
export interface Candidate {
  /** `provider|model|channel`, the key of breaker and metrics. */
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
  /** The provider model's own score, where quality starts before it is measured. */
  qualityScore: number;
  capabilities: Record<string, unknown>;
  /** Where it is asked with one key of several; its channel then has that key alone. */
  via?: Via | undefined;
}

export interface Via {
  /** The candidate as it is ranked and measured. */
  base: Candidate;
  credential: Credential;
  /** Of the user who asks. */
  own: boolean;
}

export const candidateKey = (provider: string, modelId: string, channelId: number): string =>
  `${provider}|${modelId}|${channelId}`;
