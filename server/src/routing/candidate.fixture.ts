import { type Candidate, type Channel, candidateKey } from './candidate.ts';
import type { ChooseRequest } from './choose.ts';
import type { Preferences } from './rank.ts';
import { type Measured, unmeasured } from './score.ts';

/** For tests: a channel and a candidate with defaults for all fields that are not given. */
export const channelOf = (id: number, fields: Partial<Channel> = {}): Channel => ({
  id,
  name: `channel ${id}`,
  provider: `p${id}`,
  kind: 'openai',
  baseUrl: 'http://127.0.0.1:1/v1',
  credential: 'secret',
  priority: 0,
  weight: 1,
  group: 'default',
  timeoutMs: 30_000,
  ...fields,
});

export interface CandidateFields extends Partial<Omit<Candidate, 'channel' | 'price'>> {
  channel?: Partial<Channel>;
  /** Prompt and completion price. */
  price?: [number, number];
}

export function candidateOf(id: number, fields: CandidateFields = {}): Candidate {
  const channel = channelOf(id, fields.channel);
  const modelId = fields.modelId ?? 'acme/large';
  return {
    type: 'chat',
    modelName: 'large',
    contextLength: 8192,
    maxOutputTokens: 4096,
    qualityScore: 1,
    capabilities: {},
    ...fields,
    key: candidateKey(channel.provider, modelId, channel.id),
    modelId,
    channel,
    price: { promptPrice: fields.price?.[0] ?? 0, completionPrice: fields.price?.[1] ?? 0, requestPrice: 0 },
  };
}

export const measuredOf = (fields: Partial<Measured> = {}): Measured => ({
  samples: 0,
  ...unmeasured,
  qualityScore: 1,
  throughput: null,
  ...fields,
});

export const preferencesOf = (fields: Partial<Preferences> = {}): Preferences => ({
  defaultStrategy: null,
  preferredProviders: [],
  blockedProviders: [],
  maxPrice: null,
  minSuccessRate: null,
  maxLatencyMs: null,
  ...fields,
});

export const chooseOf = (candidates: Candidate[], fields: Partial<ChooseRequest> = {}): ChooseRequest => ({
  modelId: 'acme/large',
  candidates,
  measured: () => measuredOf(),
  userId: 7,
  circuit: () => 'closed',
  preferences: null,
  config: null,
  override: null,
  random: () => 0,
  roundRobinCounter: 0,
  probeCounter: 0,
  ...fields,
});
