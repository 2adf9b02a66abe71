import type { Billing } from '../billing/billing.ts';
import type { Permits } from '../identity/permits.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Blobs } from '../platform/blobs/port.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Jobs } from '../platform/durable/jobs.ts';
import type { Owners } from '../platform/durable/owners.ts';
import type { MemoryBudget } from '../platform/http/memory-budget.ts';
import type { Route } from '../platform/http/route.ts';
import type { Log } from '../platform/log.ts';
import type { StorageQuota } from '../platform/storage-quota/storage-quota.ts';
import type { Pauses } from './pauses.ts';

export interface BatchesDeps {
  db: Db;
  owners: Pick<Owners, 'id'>;
  jobs: Jobs;
  blobs: Blobs;
  billing: Pick<Billing, 'settle' | 'release'>;
  clock: Clock;
  log: Log;
  storage: StorageQuota;
  /** The current rights of a batch's owner. */
  permit: Permits['of'];
  /** Whether a model of this name can be asked by users of a group. */
  knows(model: string, group: string): boolean;
  /** The endpoints of batch requests. */
  routes: readonly Route[];
  baseUrl: string;
  /** The share of a model's price that batch requests pay. */
  priceFactor(): number;
  maxFileBytes(): number;
  maxUserBytes(): number;
  /** Of a file uploaded in parts. */
  maxUploadBytes(): number;
  pauses: Pauses;
  /** Memory that batch requests need beyond their lines, for files they refer to. */
  memoryBudget: MemoryBudget;
}

/** For messages; anything else a client sends is truncated. */
const named = (id: string): string => `'${id.slice(0, 100)}'`;

/** The same message whether it never existed, is another user's, or has expired. */
export const noFile = (id: string, param?: string) =>
  new AppError('not_found', `No such File object: ${named(id)}.`, param ? { param } : {});
export const noBatch = (id: string) => new AppError('not_found', `No batch found with id ${named(id)}.`);
export const noUpload = (id: string) => new AppError('not_found', `No such Upload object: ${named(id)}.`);
