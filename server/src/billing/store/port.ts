import type { Settled } from '../types.ts';

export interface HoldRow {
  request_id: string;
  user_id: number;
  /** 0 for none. */
  key_id: number;
  amount: number;
  /** What was taken from the key: the amount, or -1 when the key has no quota of its own. */
  key_amount: number;
  model_id: string;
  estimate: string;
  /** Process that answers for the hold; empty when the hold outlives processes until `expires_at`. */
  owner: string;
  /** Unix seconds; 0 for holds that live as long as their owner. */
  expires_at: number;
  created_at: number;
}

/** What is needed to settle a hold. */
export type HeldRow = Pick<HoldRow, 'request_id' | 'user_id' | 'key_id' | 'amount' | 'key_amount' | 'model_id'>;

export type HoldOutcome = 'held' | 'user_short' | 'key_short';

/** A row of the usage log, without its id. */
export interface UsageRow {
  request_id: string;
  user_id: number;
  key_id: number;
  model_id: string;
  endpoint: string;
  provider: string;
  channel_id: number;
  prompt_tokens: number;
  completion_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  cache_write_1h_tokens: number;
  reasoning_tokens: number;
  audio_in_tokens: number;
  image_in_tokens: number;
  audio_out_tokens: number;
  /** 1 where the tokens were counted by us. */
  estimated: number;
  units: number;
  quota: number;
  /** What each part cost, as `cost-parts.ts` writes it. */
  cost_parts: string;
  shortfall: number;
  /** What the charge left; 0 where nothing was charged. */
  balance_after: number;
  stream: number;
  status: string;
  duration_ms: number;
  first_token_ms: number;
  created_at: number;
}

export const usageColumns = [
  'request_id',
  'user_id',
  'key_id',
  'model_id',
  'endpoint',
  'provider',
  'channel_id',
  'prompt_tokens',
  'completion_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cache_write_1h_tokens',
  'reasoning_tokens',
  'audio_in_tokens',
  'image_in_tokens',
  'audio_out_tokens',
  'estimated',
  'units',
  'quota',
  'cost_parts',
  'shortfall',
  'balance_after',
  'stream',
  'status',
  'duration_ms',
  'first_token_ms',
  'created_at',
] as const satisfies (keyof UsageRow)[];

/** The hold to settle, as it was taken. `log.quota` is the cost asked for; the store writes what was charged. */
export interface SettleRow extends Pick<HoldRow, 'request_id' | 'user_id' | 'key_id' | 'amount' | 'key_amount'> {
  /** Without a log the hold is released. */
  log: UsageRow | null;
}

export interface ProgressRow {
  request_id: string;
  progress: number;
  usage: string;
}

/** The writes of the hot path. Each call is one transaction: all of it, or an error and nothing. */
export interface HoldStore {
  hold(rows: HoldRow[]): HoldOutcome[] | Promise<HoldOutcome[]>;
  settle(rows: SettleRow[]): Settled[] | Promise<Settled[]>;
  /** Requests that cost nothing: usage log, sums and request counts. */
  record(rows: UsageRow[]): void | Promise<void>;
  progress(rows: ProgressRow[]): void | Promise<void>;
  /** An open hold of this process, or one that any process can settle. */
  find(requestId: string): Promise<HeldRow | null>;
  /** Gives back what processes that are gone had put aside in sum; tells how many holds that were. */
  returnReserves(): number | Promise<number>;
  /** Called every few seconds, to clear away what the writes leave behind. */
  tidy(): Promise<void>;
}

export const secondsPerDay = 86_400;
export const dayOf = (seconds: number): number => Math.floor(seconds / secondsPerDay);
