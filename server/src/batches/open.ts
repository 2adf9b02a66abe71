import type { PersonalData } from '../platform/db/pages.ts';
import type { Route } from '../platform/http/route.ts';
import type { BatchesDeps } from './deps.ts';
import { forgetFiles, sweepExpired } from './files.ts';
import { fileRoutes } from './routes/files.ts';
import { exportOf } from './store/account-data.ts';

export interface Batches {
  routes: Route[];
  exportOf(userId: number): PersonalData;
  /** Ends what runs and removes what is kept. May be repeated. */
  forgetUser(userId: number): Promise<void>;
  /** Throws out what has run out, and puts work back that was lost. */
  sweep(): Promise<void>;
}

/** Call before the jobs start. */
export function openBatches(deps: BatchesDeps): Batches {
  return {
    routes: fileRoutes(deps),
    exportOf: (userId) => exportOf(deps.db, userId),
    forgetUser: (userId) => forgetFiles(deps, userId),
    sweep: () => sweepExpired(deps),
  };
}
