import type { Price, Usage } from '../lib/money.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Levels } from './levels.ts';

export interface HoldRequest {
  /** One hold per request id: repeating the call while it is open returns the same hold and takes nothing more. */
  requestId: string;
  userId: number;
  /** Null for requests authenticated by a session instead of a key. */
  keyId: number | null;
  /** True if the key has no quota of its own: only the user's balance is checked. */
  keyUnlimited: boolean;
  /** In quota units. 0 for free models: nothing is written before the settlement. */
  amount: number;
  modelId: string;
  /** What the estimate is based on, stored with the hold to explain it. */
  estimateDetail?: Record<string, unknown>;
  /** For work that outlives its process (video jobs): the hold stays open until this time even if the process dies. */
  durableUntilMs?: number;
}

/** Money reserved for one request. */
export interface Hold {
  readonly requestId: string;
  /** The user whose balance pays. */
  readonly userId: number;
  /** 0 for none. */
  readonly keyId: number;
  readonly keyUnlimited: boolean;
  readonly amount: number;
  readonly modelId: string;
  /** False for free requests, which reserve nothing. */
  readonly stored: boolean;
  /** Durable holds outlive this process, and any other process can settle them. */
  readonly durable: boolean;
  /** The budgets that apply; null if there are none. Durable holds have them in their row. */
  readonly levels: HeldLevels | null;
}

/** Budgets together with the owner of the key, who need not be the payer. */
export interface HeldLevels extends Levels {
  readonly keyUserId: number;
}

/** A number is the window id of the budget that is short. */
export type HoldOutcome = 'held' | 'user_short' | 'key_short' | number;

/** How a request ended: answered, aborted by its client, interrupted by its upstream, or lost with its process. */
export type UsageStatus = 'ok' | 'aborted' | 'interrupted' | 'error';

/** What the usage log stores about a request, besides who made it. */
export interface UsageDetail {
  usage: Usage;
  /** The price behind the cost, so that the log can show the cost of each part. */
  price?: Price;
  /** Path of the endpoint, for example `/v1/chat/completions`. */
  endpoint: string;
  provider?: string;
  channelId?: number;
  /** The request was sent with the user's own upstream key. */
  ownKey?: boolean;
  stream?: boolean;
  /** Default `ok`. */
  status?: UsageStatus;
  durationMs?: number;
  firstTokenMs?: number;
  /** Id of the turn or run that made this request. */
  parentRequestId?: string | undefined;
  /** What the request would have cost if its answer had not been cached. */
  savedQuota?: number;
}

/** Names a call of work that outlives its process; another process that takes the work over uses the same name. */
export interface CallName {
  /** A run, a batch, a response. */
  work: string;
  /** Unique within the work. */
  call: string;
}

/** Work that outlives its process and makes several calls, named the same by every process that continues it. */
export interface CallsOfWork {
  work: string;
  /** Identifies the attempt: answers of one attempt are not reused by the next. */
  attempt: string;
  /** Another process worked on it before and may have left answers. */
  again: boolean;
}

/** An answer in a form the work can continue with. */
export interface AnswerToKeep extends CallName {
  body: string;
}

export interface Settlement extends UsageDetail {
  /** Real cost in quota units. */
  cost: number;
  /** Stored in the same transaction as the charge. Ignored for requests that cost nothing and had no hold. */
  keep?: AnswerToKeep;
  /**
   * If this process is considered dead, the one that takes over repeats the call and pays for it: then this one is not
   * charged.
   */
  resumable?: boolean;
}

export interface Settled {
  /** False if the hold was already settled or released; nothing was changed then. */
  settled: boolean;
  charged: number;
  /** The part of a cost above the hold that the balance could not cover. */
  shortfall: number;
}

export interface Grant {
  userId: number;
  /** May be negative, but never takes more than there is. */
  quota: number;
  note: string;
  /** The administrator's user id. */
  by: number;
  /** The same for every attempt at the same grant, so that it is given once. */
  idempotencyId?: number;
  /** Runs in the grant's transaction; if it throws, the grant is refused. */
  also?(tx: Db): Promise<void>;
}
