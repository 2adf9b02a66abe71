import type { ChannelKind } from '../lib/vendors/vendor.ts';
import type { ProviderModelFields } from '../routing/catalog/store/provider-models.ts';

/** Another gateway's data in our terms. Every `foreignId` is stable across repeated reads. */
export interface ImportedData {
  /** The source gateway, as recorded with the import. */
  source: 'litellm' | 'new-api';
  channels: ChannelIntake[];
  aliases: AliasIntake[];
  people: PersonIntake[];
  keys: KeyIntake[];
  codes: CodeIntake[];
  /** What is not imported, or imported differently, and why. */
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
  /** Used for a name if the original does not fit. */
  number: number;
  username: string;
  displayName: string;
  email: string;
  /** Empty if there is none. */
  passwordHash: string;
  role: number;
  status: number;
  group: string;
  quota: number;
}

export interface KeyIntake {
  /** In plain text, `sk-…`: clients keep using it. */
  secret: string;
  /** Null for this service's root user. */
  owner: PersonIntake['foreignId'] | null;
  name: string;
  status: number;
  /** -1: never. */
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
  /** 0: never. */
  expiresAt: number;
}
