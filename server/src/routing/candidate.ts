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
] as const;
export type ModelType = (typeof modelTypes)[number];

/** One credential at one base URL of one provider, ready for use: the credential is in the clear, in memory only. */
export interface Channel {
  id: number;
  name: string;
  provider: string;
  kind: ChannelKind;
  baseUrl: string;
  credential: string;
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
}

export const candidateKey = (provider: string, modelId: string, channelId: number): string =>
  `${provider}|${modelId}|${channelId}`;
