import type { MaybePromise } from '../../lib/maybe-promise.ts';

/**
 * A hold that other processes must be able to find: a durable one until `expires_at`, or what a running stream has cost
 * so far.
 */
export interface HoldRow {
  request_id: string;
  user_id: number;
  /** 0 for none. */
  key_id: number;
  /** Taken from the balance; 0 for running streams, whose money is part of their process's allotment. */
  amount: number;
  /** What was taken from the key: the amount, or -1 if the key has no quota of its own. */
  key_amount: number;
  model_id: string;
  estimate: string;
  /** The process that owns the hold; empty for durable holds, which live until `expires_at`. */
  owner: string;
  /** Unix seconds; 0 for holds that live as long as their owner. */
  expires_at: number;
  created_at: number;
  /** Budget windows that the amount was taken from as well: a JSON array of ids, or empty. */
  levels: string;
}

/** The stored form of the windows of a hold. */
export const windowsText = (ids: readonly number[]): string => (ids.length === 0 ? '' : JSON.stringify(ids));
export const windowsOf = (text: string): number[] => (text === '' ? [] : (JSON.parse(text) as number[]));

export interface ProgressRow extends HoldRow {
  progress: number;
  progress_usage: string;
}

/**
 * The part that one process has reserved of a user's balance (`key_id` 0), a key's quota, or a budget (`key_id` below
 * 0).
 */
export interface AllotmentId {
  user_id: number;
  key_id: number;
}

/** Budget windows share the key column, with negated ids and user 0. */
export const windowAllotment = (windowId: number): AllotmentId => ({ user_id: 0, key_id: -windowId });

export interface TopUpRequest extends AllotmentId {
  /** Enough for the waiting requests. */
  need: number;
  /** Less than this is useless: take nothing then. */
  least: number;
  /** Whether to take a share of the rest as well, for the next requests. */
  more: boolean;
}

export interface TopUp {
  taken: number;
  /** What other processes have reserved. */
  elsewhere: number;
  /** What no process has reserved. */
  left: number;
}

/** What a batch of charges changes in one allotment. */
export interface AllotmentChange extends AllotmentId {
  /** Deducted from the allotment. */
  paid: number;
  used: number;
  requests: number;
}

export interface ChargeBatch {
  /** In order. The store sets `balance_after`. */
  logs: UsageRow[];
  allotments: AllotmentChange[];
  /** Ids of ended requests that have a progress row. */
  ended: string[];
  /** Absent in most batches. */
  kept?: KeptRow[] | undefined;
}

/** An answer to be found by another process if this one dies before its work has stored it. */
export interface KeptRow {
  work: string;
  call: string;
  request_id: string;
  user_id: number;
  created_at: number;
  body: string;
}

export interface GiveBack extends AllotmentId {
  amount: number;
  /** Nothing is left in it or owed to it: its sums are added to the user, key or window, and the row is deleted. */
  whole: boolean;
}

/** Makes a write idempotent: it only takes effect if `after` was the last batch of this process. */
export interface Turn {
  owner: string;
  batch: number;
  after: number;
}

/**
 * A process's writes to its allotments, one at a time. Each is one transaction that is written completely or throws.
 * Returns null and writes nothing if it is not this turn's place: it was already written, or the process was considered
 * dead.
 */
export interface AllotmentStore {
  topUp(turn: Turn, asks: TopUpRequest[]): MaybePromise<TopUp[] | null>;
  charge(turn: Turn, batch: ChargeBatch): MaybePromise<true | null>;
  giveBack(turn: Turn, allotments: GiveBack[]): MaybePromise<true | null>;
  progress(turn: Turn, rows: ProgressRow[]): MaybePromise<true | null>;
  /**
   * Adds what batches changed to the rows of the allotments. Absent where charging does it: otherwise call it now and
   * then, and before an allotment is given back.
   */
  addUp?(turn: Turn): MaybePromise<true | null>;
}

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
  web_searches: number;
  /** 1 if the tokens were counted by us instead of the upstream. */
  estimated: number;
  units: number;
  quota: number;
  /** What each part cost, in the format of `cost-parts.ts`. */
  cost_parts: string;
  shortfall: number;
  /** The balance after the charge, with what running requests hold; 0 if nothing was charged. */
  balance_after: number;
  stream: number;
  status: string;
  duration_ms: number;
  first_token_ms: number;
  /** Id of the turn or run that made the request; null for a request of a client. */
  parent_request_id: string | null;
  /** 1 if the request used the user's own upstream key. */
  own_key: number;
  /** What a cached answer would have cost; 0 for all others. */
  saved_quota: number;
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
  'web_searches',
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
  'parent_request_id',
  'own_key',
  'saved_quota',
  'created_at',
] as const satisfies (keyof UsageRow)[];

export const secondsPerDay = 86_400;
export const dayOf = (seconds: number): number => Math.floor(seconds / secondsPerDay);
