import type { Billing } from '../billing/billing.ts';
import type { Permits } from '../identity/permits.ts';
import type { Clock } from '../lib/clock.ts';
import type { Sealer } from '../lib/seal.ts';
import type { Blobs } from '../platform/blobs/port.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Jobs } from '../platform/durable/jobs.ts';
import type { Log } from '../platform/log.ts';
import type { Catalog } from '../routing/catalog/catalog.ts';
import type { Routing } from '../routing/routing.ts';

/** Which providers a job may use. */
interface Admission {
  mayUse(provider: string): boolean;
}

/** And which models. */
interface Reach extends Admission {
  mayAsk(model: string): boolean;
}

/** What this room needs from others. */
export interface VideoDeps {
  db: Db;
  jobs: Jobs;
  blobs: Blobs;
  billing: Billing;
  routing: Routing;
  catalog: Pick<Catalog, 'resolve' | 'models' | 'candidatesFor' | 'legacyCandidatesFor'>;
  clock: Clock;
  log: Log;
  /** Throws if the user or key is no longer valid. */
  permit: Permits['of'];
  /** Checks the organisation's limits other than money for a request with a key. */
  admit?(keyId: number, models: readonly string[]): Admission | null | Promise<Admission | null>;
  /** What a key may use under its organisation's limits, for model lists; null if nothing is limited. */
  reachOf?(keyId: number): Reach | null | Promise<Reach | null>;
  /** Decrypts the credentials of channels. */
  sealer: Sealer;
  /** The service's own key, from which users' callback secrets are derived. */
  secretKey: Uint8Array;
  config: {
    baseUrl: string;
    webUrl: string;
    videoJobTtlSeconds: number;
    /** Whether callbacks may go to private addresses. */
    allowPrivateAddresses: boolean;
  };
}

export const jobQueue = 'video';
export const callbackQueue = 'video-callback';
