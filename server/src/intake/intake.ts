import type { ChannelKind } from '../lib/vendors/vendor.ts';
import type { ProviderModelFields } from '../routing/catalog/store/provider-models.ts';

/** What another gateway has, in the words of this one. Every `foreignId` is the same whenever the same is read again. */
export interface Intake {
  /** Which gateway, as in the table of what was taken in. */
  source: 'litellm' | 'new-api';
  channels: ChannelIntake[];
  aliases: AliasIntake[];
  people: PersonIntake[];
  keys: KeyIntake[];
  codes: CodeIntake[];
  /** What stays behind, or comes in other than it was, and why. */
  notes: string[];
}

export interface ChannelIntake {
  foreignId: string;
  name: string;
  provider: string;
  kind: ChannelKind;
  baseUrl: string;
  credentials: CredentialIntake[];
  priority: number;
  weight: number;
  status: number;
  group: string;
  timeoutMs?: number | undefined;
  models: ModelIntake[];
}

export type ModelIntake = Omit<ProviderModelFields, 'channelId'>;

export interface CredentialIntake {
  secret: string;
  status: number;
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
}

export interface AliasIntake {
  name: string;
  models: string[];
}

export interface PersonIntake {
  foreignId: string;
  /** For a name of its own where the other one does not do. */
  number: number;
  username: string;
  displayName: string;
  email: string;
  /** Empty for whoever has none. */
  passwordHash: string;
  role: number;
  status: number;
  group: string;
  quota: number;
}

export interface KeyIntake {
  /** In the clear, `sk-…`: clients go on with it. */
  secret: string;
  /** Null for the root user of this service. */
  owner: PersonIntake['foreignId'] | null;
  name: string;
  status: number;
  /** -1 never. */
  expiredTime: number;
  remainQuota: number;
  unlimited: boolean;
  models: string[];
  allowedIps: string[];
}

export interface CodeIntake {
  code: string;
  owner: PersonIntake['foreignId'];
  quota: number;
  note: string;
  /** 0 never. */
  expiresAt: number;
}
