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

/** Which providers a job may go to. */
interface Admission {
  mayUse(provider: string): boolean;
}

/** And which models it can ask for. */
interface Reach extends Admission {
  mayAsk(model: string): boolean;
}

/** What the room needs of the rest of the house. */
export interface VideoDeps {
  db: Db;
  jobs: Jobs;
  blobs: Blobs;
  billing: Billing;
  routing: Routing;
  catalog: Pick<Catalog, 'resolve' | 'models' | 'candidatesFor' | 'legacyCandidatesFor'>;
  clock: Clock;
  log: Log;
  /** Throws when the user or the key counts no more by now. */
  permit: Permits['of'];
  /** Lets a request with a key in by what its organisation allows besides money. */
  admit?(keyId: number, models: readonly string[]): Admission | null | Promise<Admission | null>;
  /** What a key can ask for by its organisation, for lists of models; null where nothing is limited. */
  reachOf?(keyId: number): Reach | null | Promise<Reach | null>;
  /** Opens the credentials of channels. */
  sealer: Sealer;
  /** The service's own key, from which each user's callback secret follows. */
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
