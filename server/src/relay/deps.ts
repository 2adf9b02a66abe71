import type { Billing } from '../billing/billing.ts';
import type { Failure, FailureLog } from '../billing/failures.ts';
import type { Hold, Settlement } from '../billing/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { Blobs } from '../platform/blobs/port.ts';
import type { Log } from '../platform/log.ts';
import type { UpstreamConnections } from '../platform/upstream/connections.ts';
import type { Catalog } from '../routing/catalog/catalog.ts';
import type { Override } from '../routing/override.ts';
import type { Routing } from '../routing/routing.ts';
import type { AnswerCache } from './cache/open.ts';
import type { Contents } from './contents.ts';
import type { DemoOptions } from './providers/demo/demo-fetch.ts';
import type { Watchdog } from './watchdog.ts';

/** What the relay needs of the rest of the house. */
export interface RelayDeps {
  routing: Routing;
  billing: Billing;
  /** Absent: nobody reads what failed. */
  failures?: Pick<FailureLog, 'note'>;
  catalog: Catalog;
  blobs: Blobs;
  clock: Clock;
  log: Log;
  watchdog: Watchdog;
  /** For streams; absent where only `fetch` reaches the upstreams. */
  upstreams?: UpstreamConnections;
  baseUrl: string;
  /** Whether addresses that users give may be private. */
  allowPrivateAddresses: boolean;
  demo: DemoOptions;
  /** Answers that are given again to keys that ask for it. */
  answers?: AnswerCache;
  /** What is asked and answered, where it may be kept. */
  contents?: Contents;
  /**
   * Lets a request with a key in by what its organisation allows besides money; `models` are the names that it is asked by.
   * Null where nothing is limited. `counted`: the same request was let in before, for another model.
   */
  admit?(keyId: number, models: readonly string[], counted?: boolean): Admission | null | Promise<Admission | null>;
  /** What a key can ask for by its organisation, for lists of models; null where nothing is limited. */
  reachOf?(keyId: number): Reach | null | Promise<Reach | null>;
  /** A file that the user has uploaded; absent where none are kept. */
  fileOf?(userId: number, id: string): Promise<OwnFile | null>;
  /** Aborted, with what callers are told, when the time that a stop leaves for finishing is over. */
  stopping?: AbortSignal;
}

/** A file that a user has uploaded here. */
interface OwnFile {
  filename: string;
  bytes: number;
  content(): Promise<Uint8Array | null>;
}

/** Which providers a request may go to. */
export interface Admission {
  mayUse(provider: string): boolean;
}

/** And which models it can ask for. */
export interface Reach extends Admission {
  mayAsk(model: string): boolean;
}

/** On whose behalf: who pays, with which key, and which models it may use. */
export interface Caller {
  userId: number;
  group: string;
  keyId: number | null;
  keyUnlimited: boolean;
  /** Empty means all. */
  models: string[];
}

/** Takes over a charge that is due. */
export type ChargeLater = (hold: Hold, settlement: Settlement) => void;

/** What every request to a model has in common. */
export interface RequestContext {
  requestId: string;
  caller: Caller;
  /** Path of the endpoint, for the usage log. */
  endpoint: string;
  override: Override | null;
  /** Further models that a conversation may be answered by, in this order, where the one before does not. */
  readonly fallbackModels?: readonly string[] | undefined;
  /** The model in whose place this one is asked. */
  readonly insteadOf?: string | undefined;
  /** It was let in before, for another model or at its full length, and counts as one request. */
  readonly counted?: boolean;
  /** Told of a failure in place of the log, where another model may still answer. */
  failed?(failure: Failure): void;
  /** Of the turn, run or batch that makes the request. */
  readonly parentRequestId?: string | undefined;
  /** The share of a model's price that the request pays; the whole when absent. */
  readonly priceFactor?: number | undefined;
  /** Set by work that charges with its answer, see `charge-with-answer.ts`; else charges are written before anything is handed on. */
  readonly chargeLater?: ChargeLater | undefined;
  /** Adds a header to the answer, where there is one. */
  tell?(name: string, value: string): void;
  /** The client's own headers that a vendor may want, lower case. */
  clientHeaders: Readonly<Record<string, string>>;
  /** What the client calls the session that the request is part of. */
  readonly session?: string | undefined;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
  /** A client waits for this very answer, and is told when the service stops. */
  readonly direct?: boolean;
  /** Told now and then while an upstream lets us wait. */
  waits?(): void;
}
