import type { Billing } from '../billing/billing.ts';
import type { Permits } from '../identity/permits.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Blobs } from '../platform/blobs/port.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Jobs } from '../platform/durable/jobs.ts';
import type { Owners } from '../platform/durable/owners.ts';
import type { Growth } from '../platform/http/growth.ts';
import type { Route } from '../platform/http/route.ts';
import type { Keeping } from '../platform/keeping/keeping.ts';
import type { Log } from '../platform/log.ts';

export interface BatchesDeps {
  db: Db;
  owners: Pick<Owners, 'id'>;
  jobs: Jobs;
  blobs: Blobs;
  billing: Pick<Billing, 'settle' | 'release'>;
  clock: Clock;
  log: Log;
  keeping: Keeping;
  /** What a batch's owner may do now. */
  permit: Permits['of'];
  /** The endpoints that requests of batches go to. */
  routes: readonly Route[];
  baseUrl: string;
  /** The share of a model's price that requests of batches pay. */
  priceFactor(): number;
  maxFileBytes(): number;
  maxUserBytes(): number;
  /** Of a file that comes in parts. */
  maxUploadBytes(): number;
  /** What requests of batches grow by beyond their lines, by the files that they name. */
  growth: Growth;
}

/** In messages; whatever else a client sends is cut. */
const named = (id: string): string => `'${id.slice(0, 100)}'`;

/** The same words whether it never was, is somebody else's, or is no longer kept. */
export const noFile = (id: string, param?: string) =>
  new AppError('not_found', `No such File object: ${named(id)}.`, param ? { param } : {});
export const noBatch = (id: string) => new AppError('not_found', `No batch found with id ${named(id)}.`);
export const noUpload = (id: string) => new AppError('not_found', `No such Upload object: ${named(id)}.`);
