import { z } from 'zod';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { inBatches, type PersonalData, sweepBatches } from '../../platform/db/pages.ts';
import { repeat } from '../../platform/durable/repeat.ts';
import {
  type AnswerBackground,
  backgroundQueue,
  enqueueResponse,
  enqueueWork,
  openWork,
  stopWork,
} from './background.ts';
import { expandItems } from './compaction.ts';
import { type Conversations, newConversations } from './conversations.ts';
import { keptSince, type ResponsesDeps } from './deps.ts';
import { followResponse } from './follow.ts';
import { keepResponse, readBefore, readItem } from './keep.ts';
import type { ResponseKeeper } from './keeper.ts';
import { admitItems, limits } from './limits.ts';
import { sealsOf } from './seals.ts';
import { exportOf } from './store/account-data.ts';
import { findStale, runningOf } from './store/background.ts';
import {
  deleteConversationsOf,
  deleteOldConversations,
  deleteOldResponses,
  deleteResponsesOf,
} from './store/delete.ts';
import { openEndedWriter } from './store/ended.ts';
import { dropOldEvents } from './store/events.ts';

export interface KeptResponses {
  readonly deps: ResponsesDeps;
  readonly keeper: ResponseKeeper;
  readonly conversations: Conversations;
  /** Registers the handler of background responses, which are refused until then. Call before the jobs start. */
  work(answer: AnswerBackground): void;
  /** Ends followers' streams, which they resume elsewhere. */
  drain(): void;
  exportOf(userId: number): PersonalData;
  /** Cancels running work and deletes stored data. Idempotent. */
  forgetUser(userId: number): Promise<void>;
  /** Deletes expired data, and requeues lost work. */
  sweep(): Promise<void>;
}

/** Model calls in progress, which cost this process little. */
const work = { concurrency: 4 * limits.runningHere };
/** Longer than it takes from a row to its job, so that only lost ones are found. */
const staleSeconds = 120;
const staleBatch = 200;
/** A follower that loses its connection returns within seconds, or asks for the whole. */
const eventSeconds = 3_600;

/** As long as for the charge before it: enough for a database restart. */
const keepPatienceMs = 30_000;

const workData = z.object({ id: z.string() });

export function openResponses(deps: ResponsesDeps): KeptResponses {
  const { db, clock, jobs } = deps;
  let working = false;
  const draining = new AbortController();
  const write = openEndedWriter(db);
  const keeper: KeptResponses['keeper'] = {
    before: (owner, named, grow) => readBefore(deps, owner, named, grow),
    item: (owner, id) => readItem(deps, owner, id),
    // The caller has paid. A write whose confirmation was lost is found and left unchanged.
    keep: (owner, ended) => repeat(() => keepResponse(deps, write, owner, ended), { patienceMs: keepPatienceMs }),
    enqueue: async (owner, queued) => {
      if (!working)
        throw new AppError('unsupported_parameter', "'background' is not available here.", { param: 'background' });
      await enqueueResponse(deps, owner, queued);
    },
    follow: (followed, signal, write) =>
      followResponse(deps, followed, AbortSignal.any([signal, draining.signal]), write),
    recheckCaller: deps.recheckCaller,
    seals: (owner) => sealsOf(deps.sealer, owner),
    keeps: () => deps.keptDays() > 0,
    hasRoom: async ({ userId }, needed) => {
      if (!needed) return deps.storage.tries(userId, 1);
      await deps.storage.take(userId, 1);
      return true;
    },
    admit: (input) => admitItems(input),
    expand: (owner, items) => expandItems(deps.sealer, owner, items),
  };
  return {
    deps,
    keeper,
    conversations: newConversations(deps),
    work: (answer) => {
      working = true;
      const take = openWork(deps, answer);
      jobs.work(backgroundQueue, work, (job) => take(workData.parse(job.data).id, job));
    },
    drain: () => draining.abort(),
    exportOf: (userId) => exportOf(db, userId),
    forgetUser: async (userId) => {
      const ids = await runningOf(db, userId);
      await inBatches((most) => deleteResponsesOf(db, userId, most));
      await inBatches((most) => deleteConversationsOf(db, userId, most));
      // Workers find that the row is gone.
      for (const id of ids) await stopWork(deps, id);
    },
    sweep: async () => {
      const now = nowSeconds(clock);
      const until = keptSince(deps);
      await inBatches((most) => deleteOldResponses(db, until, most), sweepBatches);
      await inBatches((most) => deleteOldConversations(db, until, most), sweepBatches);
      await inBatches((most) => dropOldEvents(db, now - eventSeconds, most), sweepBatches);
      if (working) for (const id of await findStale(db, now - staleSeconds, staleBatch)) await enqueueWork(deps, id);
    },
  };
}
