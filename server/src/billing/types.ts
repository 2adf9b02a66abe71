import type { Price, Usage } from '../lib/money.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Levels } from './levels.ts';

export interface HoldRequest {
  /** One hold per request id: asking again while it is open gives the same hold and takes nothing more. */
  requestId: string;
  userId: number;
  /** Null for calls made with a session instead of a key. */
  keyId: number | null;
  /** True when the key has no quota of its own; then the user's balance alone is asked. */
  keyUnlimited: boolean;
  /** In quota units. 0 is for models of price 0: nothing is written until the settlement. */
  amount: number;
  modelId: string;
  /** What the estimate was made of, kept beside the hold for whoever has to explain it. */
  estimateDetail?: Record<string, unknown>;
  /** For work that outlives its process (video jobs): the hold stays when the process dies, until this time. */
  durableUntilMs?: number;
}

/** Money put aside for one request. */
export interface Hold {
  readonly requestId: string;
  /** Whose balance pays. */
  readonly userId: number;
  /** 0 for none. */
  readonly keyId: number;
  readonly keyUnlimited: boolean;
  readonly amount: number;
  readonly modelId: string;
  /** False for price 0, for which nothing is put aside. */
  readonly stored: boolean;
  /** It outlives this process, and any other may settle it. */
  readonly durable: boolean;
  /** Of the organisation that the key belongs to; null for none. One that outlives processes has them in its row. */
  readonly levels: HeldLevels | null;
}

/** And whose the key is, which need not be who pays. */
export interface HeldLevels extends Levels {
  readonly keyUserId: number;
}

/** A number is the window of the budget that is short. */
export type HoldOutcome = 'held' | 'user_short' | 'key_short' | number;

/** How a request ended: answered, left by its client, cut off by its upstream, or its process died. */
export type UsageStatus = 'ok' | 'aborted' | 'interrupted' | 'error';

/** What the usage log keeps of a request besides who made it. */
export interface UsageDetail {
  usage: Usage;
  /** Which the cost follows from, so that the log can tell the cost of each part. */
  price?: Price;
  /** Path of the endpoint, for example `/v1/chat/completions`. */
  endpoint: string;
  provider?: string;
  channelId?: number;
  /** It went out with a key of the user's own. */
  ownKey?: boolean;
  stream?: boolean;
  /** Default `ok`. */
  status?: UsageStatus;
  durationMs?: number;
  firstTokenMs?: number;
  /** Of the turn or run that made the request. */
  parentRequestId?: string | undefined;
  /** What the request would have cost, had its answer not been kept. */
  savedQuota?: number;
}

/** A call of work that outlives its process: the same for whoever takes the work over. */
export interface CallName {
  /** A run, a batch, a response. */
  work: string;
  /** Unique within the work. */
  call: string;
}

/** Work that outlives its process and makes several calls, named so that whoever takes it over names them the same. */
export interface CallsOfWork {
  work: string;
  /** Of a work that tries several times: what one try was answered is not for the next. */
  attempt: string;
  /** Somebody had it before, and may have left answers. */
  again: boolean;
}

/** An answer in the form in which the work can go on with it. */
export interface AnswerToKeep extends CallName {
  body: string;
}

export interface Settlement extends UsageDetail {
  /** Real cost in quota units. */
  cost: number;
  /** Written with the charge, both or neither. Nothing is kept of what cost nothing and needed no hold. */
  keep?: AnswerToKeep;
  /** Whoever takes over from a process that is gone makes the call again, and pays: one that was taken for dead does not. */
  goesOn?: boolean;
}

export interface Settled {
  /** False when the hold was gone: settled or released before. Nothing was changed then. */
  settled: boolean;
  charged: number;
  /** What the balance could not pay of a cost above the hold. */
  shortfall: number;
}

export interface Grant {
  userId: number;
  /** May be negative, but never takes more than there is. */
  quota: number;
  note: string;
  /** The administrator. */
  by: number;
  /** The same for every attempt at the same grant, which is then given once. */
  idempotencyId?: number;
  /** Written with it, both or neither; what it throws refuses the grant. */
  also?(tx: Db): Promise<void>;
}
