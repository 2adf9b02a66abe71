import type { Billing } from '../billing/billing.ts';
import type { Permits } from '../identity/permits.ts';
import type { Clock } from '../lib/clock.ts';
import type { Sealer } from '../lib/seal.ts';
import type { Blobs } from '../platform/blobs/port.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Jobs } from '../platform/durable/jobs.ts';
import type { Log } from '../platform/log.ts';
import type { Catalog } from '../routing/catalog/catalog.ts';
import type { KeyLimits } from '../routing/key-limits.ts';
import type { Routing } from '../routing/routing.ts';

/** What this room needs from others. */
export interface VideoDeps extends Partial<KeyLimits> {
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
