import type { Generated, Insertable, Selectable, Updateable } from 'kysely';
import { timeIn } from '../lib/ids.ts';
import { findRow } from '../platform/db/find-row.ts';
import { pageOfMany, type Range } from '../platform/db/list-page.ts';
import type { Db } from '../platform/db/tables.ts';
import { withLock } from '../platform/db/with-lock.ts';
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
  /** 0 if it was created in the browser, or before keys were recorded. */
  key_id: Generated<number>;
  group_name: string;
  model_id: string;
  status: JobStatus;
  /** 1 once the hold is placed; before that the job is not accepted, and invisible. */
  held: number;
  /** What has followed from the job's end; one of `closings`. */
  closed: number;
  /** JSON of the request without its images, which are in `inputs` until the job ends. */
  request: string;
  inputs: string;
  /** JSON of the `provider` member, or empty. */
  override: string;
  seconds: number;
  /** Quota charged on completion; known once an upstream accepted the job. */
  cost: number;
  provider: string;
  channel_id: number;
  model_name: string;
  /** The upstream asked last, recorded beforehand: it may have the job unnoticed. 0 for none, or one that refused. */
  asked_channel_id: Generated<number>;
  /** Empty until an upstream accepted the job. */
  upstream_id: string;
  poll_url: string;
  submitted_at_ms: number;
  /** How often all providers were tried without success. */
  rounds: number;
  polls: number;
  /** Consecutive answers saying that the upstream does not know the job. */
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

/** Nothing yet; the hold settled or released, so that the end is visible; the callback queued as well. */
export const closings = { open: 0, settled: 1, done: 2 } as const;

export type VideoJob = Selectable<VideoJobsTable>;
type Changes = Updateable<VideoJobsTable>;

export async function insertJob(db: Db, row: Insertable<VideoJobsTable>): Promise<void> {
  await db.insertInto('video_jobs').values(row).execute();
}

/** From here on the job exists for its owner and the workers. */
export async function acceptJob(db: Db, id: string): Promise<void> {
  await db.updateTable('video_jobs').set({ held: 1 }).where('id', '=', id).execute();
}

export async function deleteUnheld(db: Db, id: string): Promise<void> {
  await db.deleteFrom('video_jobs').where('id', '=', id).where('held', '=', 0).execute();
}

export const findJob = (db: Db, id: string): Promise<VideoJob | null> => findRow(db, 'video_jobs', { id });

/** Other users' jobs do not exist. */
export async function findOwnJob(db: Db, id: string, userId: number): Promise<VideoJob | null> {
  const job = await findJob(db, id);
  return job && job.user_id === userId && job.held === 1 ? job : null;
}

/** The list position of a job, also of a deleted one; null for another user's. */
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
  /** The last job of the previous page. */
  after: Pick<VideoJob, 'id' | 'created_at_ms'> | null;
}

/** The same from a job on, with one extra row if there are more. Ties are broken by id. */
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

/** Compare and swap: changes the status only from an allowed one; null if another writer was faster. */
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
 * Records which upstream has the job; idempotent. `over`: the job has ended meanwhile, or another process ordered it
 * elsewhere; `another's`: the video found belongs to another job with the same request.
 */
export function recordSubmission(
  db: Db,
  id: string,
  submission: Changes & { channel_id: number; upstream_id: string },
): Promise<'recorded' | 'over' | "another's"> {
  const { channel_id, upstream_id } = submission;
  return db.transaction().execute(async (tx) => {
    await withLock(tx, 'videosOfChannel', channel_id);
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

/** Which jobs an upstream's videos belong to. */
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

/** Jobs that should have progressed by now: their queue entry was lost, or never made. */
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
