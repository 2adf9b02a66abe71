import type { Billing } from '../billing/billing.ts';
import type { Hold, Settlement } from '../billing/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { Blobs } from '../platform/blobs/port.ts';
import type { Log } from '../platform/log.ts';
import type { Catalog } from '../routing/catalog/catalog.ts';
import type { Override } from '../routing/override.ts';
import type { Routing } from '../routing/routing.ts';
import type { DemoOptions } from './providers/demo/demo-fetch.ts';
import type { UpstreamConnections } from '../platform/upstream/connections.ts';
import type { Watchdog } from './watchdog.ts';

/** What the relay needs of the rest of the house. */
export interface RelayDeps {
  routing: Routing;
  billing: Billing;
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
  /** Aborted, with what callers are told, when the time that a stop leaves for finishing is over. */
  stopping?: AbortSignal;
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
  /** The model in whose place this one is asked. */
  readonly insteadOf?: string | undefined;
  /** Of the turn, run or batch that makes the request. */
  readonly parentRequestId?: string | undefined;
  /** The share of a model's price that the request pays; the whole when absent. */
  readonly priceFactor?: number | undefined;
  /** Set by work that charges with its answer, see `charge-with-answer.ts`; else charges are written before anything is handed on. */
  readonly chargeLater?: ChargeLater | undefined;
  /** The client's own headers that a vendor may want, lower case. */
  clientHeaders: Readonly<Record<string, string>>;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
  /** A client waits for this very answer, and is told when the service stops. */
  readonly direct?: boolean;
  /** Told now and then while an upstream lets us wait. */
  waits?(): void;
}
