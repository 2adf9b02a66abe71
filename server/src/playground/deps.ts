import type { Clock } from '../lib/clock.ts';
import type { Db } from '../platform/db/tables.ts';
import type { StorageQuota } from '../platform/storage-quota/storage-quota.ts';

export interface PlaygroundDeps {
  db: Db;
  clock: Clock;
  storage: StorageQuota;
}
