import { z } from 'zod';
import { nowSeconds } from '../lib/clock.ts';
import { inBatches, type PersonalData } from '../platform/db/pages.ts';
import type { Route } from '../platform/http/route.ts';
import { removeBatch } from './create.ts';
import type { BatchesDeps } from './deps.ts';
import { forgetFiles, sweepExpired } from './files.ts';
import { limits, parallel } from './limits.ts';
import { Pauses } from './pauses.ts';
import { messageBatchRoutes } from './routes/anthropic.ts';
import { anthropicFileRoutes } from './routes/anthropic-files.ts';
import { fileRoutes } from './routes/files.ts';
import { openaiBatchRoutes } from './routes/openai.ts';
import { uploadRoutes } from './routes/uploads.ts';
import { exportOf } from './store/account-data.ts';
import { batchesOf, findOld, findStale } from './store/batches.ts';
import { deleteRequests, findUncleared } from './store/requests.ts';
import { forgetUploads, sweepUploads } from './uploads.ts';
import { batchQueue, enqueueBatch, workOn } from './work.ts';

export interface Batches {
  routes: Route[];
  exportOf(userId: number): PersonalData;
  /** Cancels running work and deletes stored data. Idempotent. */
  forgetUser(userId: number): Promise<void>;
  /** Deletes expired data, and requeues lost work. */
  sweep(): Promise<void>;
}

/** Longer than it takes from a row to its job, so that only lost ones are found. */
const staleSeconds = 120;
const sweepRows = 100;
const workData = z.object({ id: z.string() });

/** Call before the jobs start. */
export function openBatches(given: Omit<BatchesDeps, 'pauses'>): Batches {
  const deps: BatchesDeps = { ...given, pauses: new Pauses(given.clock) };
  const { db, jobs, clock } = deps;
  jobs.work(batchQueue, { concurrency: parallel.batches }, (job) =>
    workOn(deps, workData.parse(job.data).id, job.signal),
  );
  return {
    routes: [
      ...fileRoutes(deps),
      ...uploadRoutes(deps),
      ...anthropicFileRoutes(deps),
      ...openaiBatchRoutes(deps),
      ...messageBatchRoutes(deps),
    ],
    exportOf: (userId) => exportOf(db, userId),
    forgetUser: async (userId) => {
      // Workers find that the row is gone.
      for (let some = await batchesOf(db, userId, sweepRows); some.length > 0; ) {
        for (const batch of some) await removeBatch(deps, batch);
        some = await batchesOf(db, userId, sweepRows);
      }
      await forgetUploads(deps, userId);
      await forgetFiles(deps, userId);
    },
    sweep: async () => {
      const now = nowSeconds(clock);
      await sweepExpired(deps);
      await sweepUploads(deps);
      for (const batch of await findOld(db, now - limits.keptSeconds, sweepRows)) await removeBatch(deps, batch);
      for (const ref of await findUncleared(db, sweepRows)) await inBatches((most) => deleteRequests(db, ref, most));
      for (const id of await findStale(db, now - staleSeconds, sweepRows)) await enqueueBatch(deps, id);
    },
  };
}
