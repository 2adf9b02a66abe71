import type { Generated, Insertable, Selectable, Updateable } from 'kysely';
import { timeIn } from '../lib/ids.ts';
import { findRow } from '../platform/db/find-row.ts';
import { pageOfMany, type Range } from '../platform/db/list-page.ts';
import { oneAtATime } from '../platform/db/one-at-a-time.ts';
import type { Db } from '../platform/db/tables.ts';
import { type JobStatus, mayBecome } from './status.ts';

declare module '../platform/db/tables.ts' {
  interface Tables {
    video_jobs: VideoJobsTable;
  }
}

interface VideoJobsTable {
  id: string;
  generation_id: string;
  user_id: number;
  /** 0 where it was asked for in the browser, or before keys were noted. */
  key_id: Generated<number>;
  group_name: string;
  model_id: string;
  status: JobStatus;
  /** 1 when the money is put aside; before that the job is not yet accepted and nobody sees it. */
  held: number;
  /** What has followed from the job's end; one of `closings`. */
  closed: number;
  /** JSON of the request without its pictures, which are in `inputs` until the job ends. */
  request: string;
  inputs: string;
  /** JSON of the `provider` member, or empty. */
  override: string;
  seconds: number;
  /** Quota charged on completion; known once an upstream has taken the job. */
  cost: number;
  provider: string;
  channel_id: number;
  model_name: string;
  /** Who was asked last, noted before: it may have the job although nobody knows. 0 for nobody, or who refused. */
  asked_channel_id: Generated<number>;
  /** Empty until an upstream has taken the job. */
  upstream_id: string;
  poll_url: string;
  submitted_at_ms: number;
  /** Times that every provider was tried in vain. */
  rounds: number;
  polls: number;
  /** Answers in a row that say the upstream does not know the job. */
  misses: number;
  progress: number;
  error: string;
  /** JSON array of blob keys. */
  results: string;
  callback_url: string;
  callback_tries: number;
  called_back_at_ms: number;
  created_at_ms: number;
  touched_at_ms: number;
  finished_at_ms: number;
  expires_at_ms: number;
}

/** Nothing yet; the money settled or given back, so that the end may be seen; the callback queued too. */
export const closings = { open: 0, settled: 1, done: 2 } as const;

export type VideoJob = Selectable<VideoJobsTable>;
type Changes = Updateable<VideoJobsTable>;

export async function insertJob(db: Db, row: Insertable<VideoJobsTable>): Promise<void> {
  await db.insertInto('video_jobs').values(row).execute();
}

/** From here on the job exists for its owner and for the workers. */
export async function acceptJob(db: Db, id: string): Promise<void> {
  await db.updateTable('video_jobs').set({ held: 1 }).where('id', '=', id).execute();
}

export async function deleteUnheld(db: Db, id: string): Promise<void> {
  await db.deleteFrom('video_jobs').where('id', '=', id).where('held', '=', 0).execute();
}

export const findJob = (db: Db, id: string): Promise<VideoJob | null> => findRow(db, 'video_jobs', { id });

/** What is not one's own does not exist. */
export async function findOwnJob(db: Db, id: string, userId: number): Promise<VideoJob | null> {
  const job = await findJob(db, id);
  return job && job.user_id === userId && job.held === 1 ? job : null;
}

/** Where a list goes on that names this one, also where it is gone; null for what is somebody else's. */
export async function placeOfJob(db: Db, id: string, userId: number, nowMs: number): Promise<After['after']> {
  const job = await findJob(db, id);
  if (job) return job.user_id === userId && job.held === 1 ? job : null;
  const created_at_ms = timeIn(id.replace(/^(job-|video_)/, ''), nowMs);
  return created_at_ms === null ? null : { id, created_at_ms };
}

export async function pageOwnJobs(db: Db, userId: number, range: Range) {
  const own = db
    .selectFrom('video_jobs')
    .where('user_id', '=', userId)
    .where('held', '=', 1)
    .select(['id', 'generation_id', 'model_id', 'status', 'request', 'seconds', 'cost', 'progress', 'error'])
    .select(['closed', 'results', 'created_at_ms', 'finished_at_ms', 'expires_at_ms'])
    .orderBy('created_at_ms', 'desc')
    .orderBy('id');
  return pageOfMany(db, own, range);
}

export interface After {
  limit: number;
  order: 'asc' | 'desc';
  /** The job that the page before ended with. */
  after: Pick<VideoJob, 'id' | 'created_at_ms'> | null;
}

/** The same from a job on, and one more than asked for where there are more. Ids break ties in the order of the list. */
export function ownJobsAfter(db: Db, userId: number, { limit, order, after }: After): Promise<VideoJob[]> {
  const [earlier, later] = order === 'desc' ? (['<', '>'] as const) : (['>', '<'] as const);
  let own = db.selectFrom('video_jobs').selectAll().where('user_id', '=', userId).where('held', '=', 1);
  if (after)
    own = own.where((e) =>
      e.or([
        e('created_at_ms', earlier, after.created_at_ms),
        e.and([e('created_at_ms', '=', after.created_at_ms), e('id', later, after.id)]),
      ]),
    );
  return own
    .orderBy('created_at_ms', order)
    .orderBy('id', order === 'desc' ? 'asc' : 'desc')
    .limit(limit + 1)
    .execute();
}

/** Compare and swap: changes the status only from one that may become the new one; null when another was faster. */
export async function moveJob(db: Db, id: string, to: JobStatus, changes: Changes): Promise<VideoJob | null> {
  const row = await db
    .updateTable('video_jobs')
    .set({ ...changes, status: to })
    .where('id', '=', id)
    .where('status', 'in', mayBecome[to])
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Notes which upstream has the job; may be repeated. `over`: the job has ended meanwhile, or another process has it made
 * elsewhere; `another's`: the same video was found for a job that asks for the same, and is that one's.
 */
export function recordSubmission(
  db: Db,
  id: string,
  submission: Changes & { channel_id: number; upstream_id: string },
): Promise<'recorded' | 'over' | "another's"> {
  const { channel_id, upstream_id } = submission;
  return db.transaction().execute(async (tx) => {
    await oneAtATime(tx, 'videosOfChannel', channel_id);
    const [owner] = await ownersOf(tx, channel_id, [upstream_id]);
    if (owner) return owner.id === id ? 'recorded' : "another's";
    const { numUpdatedRows } = await tx
      .updateTable('video_jobs')
      .set({ ...submission, asked_channel_id: 0 })
      .where('id', '=', id)
      .where('status', 'in', ['pending', 'in_progress'])
      .where('upstream_id', '=', '')
      .executeTakeFirst();
    return numUpdatedRows > 0n ? 'recorded' : 'over';
  });
}

/** Which jobs videos of an upstream belong to. */
export const ownersOf = (db: Db, channelId: number, upstreamIds: string[]) =>
  db
    .selectFrom('video_jobs')
    .select(['id', 'upstream_id'])
    .where('upstream_id', 'in', upstreamIds)
    .where('upstream_id', '<>', '')
    .where('channel_id', '=', channelId)
    .execute();

export async function changeJob(db: Db, id: string, changes: Changes): Promise<void> {
  await db.updateTable('video_jobs').set(changes).where('id', '=', id).execute();
}

/** Jobs that should have moved by now and did not: their work item was lost, or never made. */
export function findStale(db: Db, before: number, limit: number): Promise<{ id: string; held: number }[]> {
  return db
    .selectFrom('video_jobs')
    .select(['id', 'held'])
    .where('closed', '<', closings.done)
    .where('touched_at_ms', '<', before)
    .orderBy('touched_at_ms')
    .limit(limit)
    .execute();
}
