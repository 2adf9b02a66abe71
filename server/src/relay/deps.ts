import type { Billing } from '../billing/billing.ts';
import type { Failure, FailureLog } from '../billing/failures.ts';
import type { Hold, Settlement } from '../billing/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { Blobs } from '../platform/blobs/port.ts';
import type { Log } from '../platform/log.ts';
import type { UpstreamConnections } from '../platform/upstream/connections.ts';
import type { Catalog } from '../routing/catalog/catalog.ts';
import type { KeyLimits } from '../routing/key-limits.ts';
import type { Override } from '../routing/override.ts';
import type { Routing } from '../routing/routing.ts';
import type { AnswerCache } from './cache/open.ts';
import type { Contents } from './contents.ts';
import type { DemoOptions } from './providers/demo/demo-fetch.ts';
import type { Watchdog } from './watchdog.ts';

/** What the relay needs from other rooms. */
export interface RelayDeps extends Partial<KeyLimits> {
  routing: Routing;
  billing: Billing;
  /** Absent: failures are not recorded. */
  failures?: Pick<FailureLog, 'note'>;
  catalog: Catalog;
  blobs: Blobs;
  clock: Clock;
  log: Log;
  watchdog: Watchdog;
  /** Kept connections for chats; absent where only `fetch` reaches the upstreams. */
  upstreams?: UpstreamConnections;
  baseUrl: string;
  /** Whether user-supplied addresses may be private ones. */
  allowPrivateAddresses: boolean;
  demo: DemoOptions;
  /** Cached answers, for keys that opted in. */
  answers?: AnswerCache;
  /** Prompts and answers, stored where allowed. */
  contents?: Contents;
  /** A file the user has uploaded; absent where files are not supported. */
  fileOf?(userId: number, id: string): Promise<OwnFile | null>;
  /** Aborted, with the error for the callers, when the grace period of a shutdown is over. */
  stopping?: AbortSignal;
}

/** A file uploaded to this service. */
interface OwnFile {
  filename: string;
  bytes: number;
  content(): Promise<Uint8Array | null>;
}

/** On whose behalf a request is made: who pays, with which key, and which models are allowed. */
export interface Caller {
  userId: number;
  group: string;
  keyId: number | null;
  keyUnlimited: boolean;
  /** Empty: all models. */
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
  /** Models to fall back to, in order. */
  readonly fallbackModels?: readonly string[] | undefined;
  /** The model this request falls back from. */
  readonly insteadOf?: string | undefined;
  /** Already counted against the limits, for another model or before it was shortened. */
  readonly counted?: boolean;
  /** Only finds out whether the request would be refused before a model is asked. */
  readonly trial?: boolean;
  /** Receives a failure instead of the log while another model may still answer. */
  failed?(failure: Failure): void;
  /** Request id of the turn, run or batch that makes this request. */
  readonly parentRequestId?: string | undefined;
  /** The share of the model's price that is charged; 1 if absent. */
  readonly priceFactor?: number | undefined;
  /**
   * Set by work that charges together with its answer (see `charge-with-answer.ts`); otherwise a charge is written
   * before the answer is delivered.
   */
  readonly chargeLater?: ChargeLater | undefined;
  /** Adds a response header, if there is a response. */
  tell?(name: string, value: string): void;
  /** Client headers that are forwarded to vendors, in lower case. */
  clientHeaders: Readonly<Record<string, string>>;
  /** The client's name of the session this request belongs to. */
  readonly session?: string | undefined;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** A client waits for this very answer, and must be told when the service shuts down. */
  readonly direct?: boolean;
  /** Called periodically while an upstream keeps us waiting. */
  waits?(): void;
}
