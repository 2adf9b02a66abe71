import type { CallName } from '../billing/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { ConnectedTools } from '../lib/connected-tools.ts';
import type { Usage } from '../lib/money.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Owners } from '../platform/durable/owners.ts';
import type { Keeping } from '../platform/keeping/keeping.ts';
import type { Override } from '../routing/override.ts';
import type { ChatMessage } from './messages.ts';
import type { ModelInfo, OperatorModels } from './models.ts';
import type { NearIndex } from './search/near.ts';
import type { RerankScore } from './search/rank.ts';
import type { PerUser } from './slices.ts';

/** Who asks, and who pays. */
export interface Caller {
  userId: number;
  /** Null when a browser session asks. */
  keyId: number | null;
  /** Models the key may use; empty or absent: all. */
  allowedModels?: readonly string[];
  /** The user's group; `default` when absent. */
  group?: string;
  /** False when the key has a quota of its own. */
  keyUnlimited?: boolean;
  /** An application asks, by an access token; told by `permit`. */
  application?: boolean;
  /** What the request says about providers; holds for every call that is made for it. */
  override?: Override | null;
  /** The share of prices that the work pays; all of them when absent. */
  priceFactor?: number | undefined;
  /** The turn or run that calls are made for: one id finds them all. */
  parentRequestId?: string;
}

/** Parameters of one model call, in the names of the chat format. */
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
  /** The caller's wishes about providers, as in any request to the relay. */
  provider?: unknown;
}

/** Of work that outlives its process: the answer is kept with its charge under this name, until the work has written it down. */
interface MayBeKept {
  keepAs?: CallName;
}

export interface CompleteRequest extends Caller, MayBeKept {
  model: string;
  messages: ChatMessage[];
  params: CallParams;
  tools?: unknown[];
  stream: boolean;
  /** Text as it comes, when `stream`; the answer holds the whole again. A promise lets the upstream wait. */
  onDelta?(text: string): unknown;
  /** Told of a call that broke off what was charged for the part that had come: no answer tells it. */
  onBroken?(charged: Charged): void;
  signal: AbortSignal;
  /** The model that should have been asked; told in the routing decision. */
  insteadOf?: string;
  /** Names the call in the ledger; a fresh one when absent. */
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

/** One model call: routed, metered, billed and cancelled by the relay. Throws an AppError when no provider answers. */
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
      /** What is kept of the answer, where that is not the answer as it is. */
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
  keeping: Keeping;
  complete: Complete;
  embed: Embed;
  rerank: Rerank;
  /** The caller as things stand now; throws when their key or they themselves count no more. */
  permit: Permit;
  /** Throws when the caller has nothing to pay with: the balance or the key's own quota is used up. */
  requireMoney(caller: Caller): Promise<void>;
  connectedTools: ConnectedTools;
  /** The enabled models of every type that this caller's key lists, those that other limits leave out marked. */
  models(caller: Caller): ModelInfo[] | Promise<ModelInfo[]>;
  operator(): OperatorModels;
  /** Most runs of one user at once. */
  parallelRuns(): number;
  near: NearIndex;
  /** The searches of each user, a few at a time. */
  searches: PerUser;
  /** Has the file of a source read, by this process or another. */
  startImport(sourceRef: number): Promise<void>;
  /** Takes over work that goes on after the answer; whoever stops the process waits for it. */
  background(work: Promise<unknown>): void;
  /** A fault that does not reach the caller. */
  warn(message: string, error: unknown): void;
}
