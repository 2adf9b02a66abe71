import type { Clock } from '../lib/clock.ts';
import { nowSeconds } from '../lib/clock.ts';
import type { Jobs } from '../platform/durable/jobs.ts';
import type { Owners } from '../platform/durable/owners.ts';
import type { Route } from '../platform/http/route.ts';
import type { Shared } from '../platform/shared/port.ts';
import type { Answer, Delta } from '../relay/wire/conversation.ts';
import { chat, checkChat } from './chat.ts';
import { enqueueImport, sweepImports, workOnImports } from './import/work.ts';
import type { Deps } from './ports.ts';
import { orchestraRoutes } from './routes/routes.ts';
import { sharedVectorIndex } from './search/vector-index.ts';
import { sweepPlans } from './store/plans.ts';
import { reindexDocuments } from './store/reindex.ts';
import type { TurnRequest } from './turn/begin.ts';
import { newUserQueue } from './work-slices.ts';

export interface Orchestra {
  /** Answers a request to `svc/svc-ms`. */
  chat(request: TurnRequest, onDelta?: (delta: Delta) => unknown): Promise<Answer>;
  /** For requests that are queued: throws what `chat` would throw before it asks a model. */
  check(request: Omit<TurnRequest, 'signal'>): Promise<void>;
  routes: Route[];
  /** Deletes expired plans, resumes or removes stale imports, indexes old documents again; a limited number at a time. */
  sweep(): Promise<void>;
  /** Waits for the background work that follows answers; for shutdown and for tests. */
  settled(): Promise<void>;
  deps: Deps;
}

/**
 * Searches of one user at once. More than one, so that a search waiting for an upstream or the database does not block
 * the next.
 */
const mostSearches = 2;
/** Documents indexed again per sweep: a few seconds of work, one at a time, that lets requests run in between. */
const mostReindexed = 1000;

type Given = Omit<Deps, 'near' | 'searches' | 'background' | 'startImport'> & {
  clock: Clock;
  jobs: Pick<Jobs, 'enqueue' | 'work'>;
  shared: Pick<Shared, 'publish' | 'subscribe'>;
  owners: Owners;
};

/** Call before the jobs are started: this registers the worker that reads imports. */
export function openOrchestra({ jobs, shared, ...given }: Given): Orchestra {
  const running = new Set<Promise<unknown>>();
  const deps: Deps = {
    ...given,
    near: sharedVectorIndex(shared, given.owners, given.warn),
    searches: newUserQueue(mostSearches),
    startImport: (ref) => enqueueImport(jobs, ref),
    background(work) {
      const tracked = work
        .catch((error) => given.warn('work after an answer failed', error))
        .finally(() => running.delete(tracked));
      running.add(tracked);
    },
  };
  workOnImports(jobs, deps);
  return {
    deps,
    chat: (request, onDelta) => chat(deps, request, onDelta),
    check: (request) => checkChat(deps, request),
    routes: orchestraRoutes(deps),
    sweep: async () => {
      await sweepPlans(deps.db, nowSeconds(deps.clock));
      await sweepImports(deps);
      await reindexDocuments(deps.db, mostReindexed);
    },
    settled: async () => {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
