/** Money put aside that others must find: until `expires_at` whoever lives, or what a running stream has cost so far. */
export interface HoldRow {
  request_id: string;
  user_id: number;
  /** 0 for none. */
  key_id: number;
  /** Taken from the balance; 0 for running streams, whose money is in the allotment of their process. */
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
  /** Windows of budgets that the amount was taken from too: a JSON array of their ids, or nothing. */
  levels: string;
}

/** What is written of the windows that a hold names. */
export const windowsText = (ids: readonly number[]): string => (ids.length === 0 ? '' : JSON.stringify(ids));
export const windowsOf = (text: string): number[] => (text === '' ? [] : (JSON.parse(text) as number[]));

export interface ProgressRow extends HoldRow {
  progress: number;
  progress_usage: string;
}

/** A user's money (`key_id` 0), a key's quota, or what is left of a budget (`key_id` below 0), as far as one process keeps it. */
export interface AllotmentId {
  user_id: number;
  key_id: number;
}

/** Windows of budgets stand beside the keys, with their ids below zero and no user. */
export const windowAllotment = (windowId: number): AllotmentId => ({ user_id: 0, key_id: -windowId });

export interface TopUpAsk extends AllotmentId {
  /** What would do for now. */
  need: number;
  /** Less than this is of no use, and nothing is taken then. */
  least: number;
  /** Whether to take a share of what there is, for those who come next. */
  more: boolean;
}

export interface TopUp {
  taken: number;
  /** What other processes keep of it. */
  elsewhere: number;
  /** What nobody keeps. */
  left: number;
}

/** What a batch of charges changes in one allotment. */
export interface AllotmentChange extends AllotmentId {
  /** Leaves the allotment. */
  paid: number;
  used: number;
  requests: number;
}

export interface ChargeBatch {
  /** In order. `balance_after` is what the allotment had left free; the store adds what lies elsewhere. */
  logs: UsageRow[];
  allotments: AllotmentChange[];
  /** Requests whose progress was noted. */
  ended: string[];
  /** Absent where there are none, which is nearly always. */
  kept?: KeptRow[] | undefined;
}

/** An answer that work is to find if its process dies before it is written down. */
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
  /** Nothing is left in it or owed to it: its sums go where they belong, and the row goes. */
  whole: boolean;
}

/** Tells a statement apart from its repetitions: written only if `after` was the last of this process, and once. */
export interface Turn {
  owner: string;
  batch: number;
  after: number;
}

/**
 * What a process writes of its allotments, one call at a time. Each is one transaction: all of it, or an error and nothing. Null,
 * and nothing written, when it is not this turn's place: it was written before, or the process has been taken for dead.
 */
export interface AllotmentStore {
  topUp(turn: Turn, asks: TopUpAsk[]): Now<TopUp[] | null>;
  charge(turn: Turn, batch: ChargeBatch): Now<true | null>;
  giveBack(turn: Turn, allotments: GiveBack[]): Now<true | null>;
  progress(turn: Turn, rows: ProgressRow[]): Now<true | null>;
}

/** SQLite answers at once. */
export type Now<T> = T | Promise<T>;

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
  /** Of the turn or run that made the request; null for what a client asked itself. */
  parent_request_id: string | null;
  /** 1 where it went out with a key of the user's own. */
  own_key: number;
  /** What an answer that was kept would have cost; 0 for all others. */
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
