import type { CallName } from '../billing/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { ConnectedTools } from '../lib/connected-tools.ts';
import type { Usage } from '../lib/money.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Owners } from '../platform/durable/owners.ts';
import type { StorageQuota } from '../platform/storage-quota/storage-quota.ts';
import type { Override } from '../routing/override.ts';
import type { ChatMessage } from './messages.ts';
import type { ModelInfo, OperatorModels } from './models.ts';
import type { RerankScore } from './search/rank.ts';
import type { VectorIndex } from './search/vector-index.ts';
import type { UserQueue } from './work-slices.ts';

/** The caller, who also pays. */
export interface Caller {
  userId: number;
  /** Null for a browser session. */
  keyId: number | null;
  /** Models the key may use; empty or absent means all. */
  allowedModels?: readonly string[];
  /** The user's group; `default` if absent. */
  group?: string;
  /** False if the key has its own quota. */
  keyUnlimited?: boolean;
  /** The application that calls with an access token of the user; set by `permit`. */
  application?: number | null;
  /** Provider routing given in the request; applies to every call made for it. */
  override?: Override | null;
  /** Share of the price that this work pays; the full price if absent. */
  priceFactor?: number | undefined;
  /** The turn or run that the calls belong to: this id finds all of them. */
  parentRequestId?: string;
}

/** Parameters of one model call, named as in the chat format. */
export interface CallParams {
  temperature?: number;
  top_p?: number;
  max_tokens?: number;
  stop?: string | string[];
  seed?: number;
  frequency_penalty?: number;
  presence_penalty?: number;
  response_format?: unknown;
  tool_choice?: unknown;
  parallel_tool_calls?: boolean;
  top_k?: number;
  reasoning_effort?: string;
  reasoning?: { max_tokens: number };
  logit_bias?: unknown;
  user?: string;
  metadata?: unknown;
  /** The caller's provider routing, as in any request to the relay. */
  provider?: unknown;
}

/** For durable work: the answer is stored with its charge under this name, until the work has persisted it. */
interface MayBeKept {
  keepAs?: CallName;
}

export interface CompleteRequest extends Caller, MayBeKept {
  model: string;
  messages: ChatMessage[];
  params: CallParams;
  tools?: unknown[];
  stream: boolean;
  /**
   * Receives the text as it streams, if `stream`; the answer contains the whole text again. Returning a promise applies
   * backpressure.
   */
  onDelta?(text: string): unknown;
  /** Receives the charge for the partial output of a call that broke off, because no answer reports it. */
  onBroken?(charged: Charged): void;
  signal: AbortSignal;
  /** The model that would have been used; recorded in the routing decision. */
  insteadOf?: string;
  /** The call's id in the ledger; a new one if absent. */
  requestId?: string;
}

export interface Charged {
  usage: Usage;
  /** In quota. */
  cost?: number;
}

export interface CompleteAnswer extends Charged {
  message: ChatMessage;
  finishReason: string;
  model: string;
  provider: string;
}

/** One model call: routed, metered, billed and cancelled by the relay. Throws an AppError if no provider answers. */
export type Complete = (request: CompleteRequest) => Promise<CompleteAnswer>;

export interface Embedded extends Charged {
  vectors: number[][];
}

export type Embed = (
  request: Caller &
    MayBeKept & {
      model: string;
      texts: string[];
      signal: AbortSignal;
      /** Serializes the answer for storage, if not as plain JSON. */
      bodyOf?(answer: Embedded): string;
    },
) => Promise<Embedded>;

export type Rerank = (
  request: Caller &
    MayBeKept & { model: string; query: string; documents: string[]; topN: number; signal: AbortSignal },
) => Promise<{ results: RerankScore[]; usage: Usage; cost?: number }>;

export type Permit = (caller: Caller) => Caller | Promise<Caller>;

export interface Deps {
  db: Db;
  clock: Clock;
  owners: Owners;
  storage: StorageQuota;
  complete: Complete;
  embed: Embed;
  rerank: Rerank;
  /** Reloads the caller; throws if the key or the user is no longer valid. */
  permit: Permit;
  /** Throws if the caller cannot pay: the balance or the key's own quota is used up. */
  requireMoney(caller: Caller): Promise<void>;
  connectedTools: ConnectedTools;
  /** The enabled models of every type that the caller's key lists; those excluded by other limits are marked. */
  models(caller: Caller): ModelInfo[] | Promise<ModelInfo[]>;
  operator(): OperatorModels;
  /** Maximum number of concurrent runs per user. */
  parallelRuns(): number;
  near: VectorIndex;
  /** Limits the concurrent searches per user. */
  searches: UserQueue;
  /** Schedules the file of a source to be read, by this process or another one. */
  startImport(sourceRef: number): Promise<void>;
  /** Tracks work that continues after the answer; a shutdown waits for it. */
  background(work: Promise<unknown>): void;
  /** Logs an error that does not reach the caller. */
  warn(message: string, error: unknown): void;
}
