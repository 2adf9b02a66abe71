import { AbandonedWork } from '../../lib/abandoned-work.ts';
import type { Log } from '../log.ts';
import type { Claim, JobStore } from './job-store.ts';
import type { JobHandler } from './jobs.ts';
import { retryUntilWritten } from './lease.ts';
import type { Owners } from './owners.ts';

/** Upper bound on the exponential backoff: nobody would notice a job that waits for days. */
const maxBackoffMs = 6 * 3_600_000;
/**
 * How long an aborted handler may take to finish before its job is retried. Until then it may hold money that the next
 * attempt needs, or be about to store what it has paid for. A handler that ignores its signal is not waited for.
 */
const unwindMs = 5_000;

/** A job in progress. */
export interface Run {
  claim: Claim;
  /** Resolves when the outcome is written, with the time until the job's next attempt, if any; never rejects. */
  done: Promise<number | null>;
  /**
   * The process is stopping: aborts the handler. If the job then fails, it is given back instead of counted as failed.
   */
  abort(): void;
  /** Another process may run the job by now: aborts the handler, whose result is ignored. */
  lose(): void;
  /** Gives the job back although its handler is still running; the handler's result is ignored. */
  abandon(): Promise<void>;
}

interface RunParts {
  store: JobStore;
  owners: Owners;
  log: Pick<Log, 'warn' | 'error'>;
  claim: Claim;
  handler: JobHandler;
}

export function startRun({ store, owners, log, claim, handler }: RunParts): Run {
  const controller = new AbortController();
  const about = { job: claim.id, queue: claim.queue, attempt: claim.attempt };
  const done = Promise.withResolvers<number | null>();
  let state: 'held' | 'stopping' | 'lost' | 'ended' | 'abandoned' = 'held';

  /** The first outcome counts. Retried, so that a short outage of the database does not repeat the whole job. */
  const end = async (outcome: Outcome): Promise<void> => {
    if (state === 'ended' || state === 'abandoned') return;
    state = 'ended';
    await retryUntilWritten(
      owners,
      () => write(store, claim, outcome),
      (error) => log.warn({ ...about, err: error }, 'could not store the outcome of a job'),
    );
    done.resolve('inMs' in outcome ? outcome.inMs : null);
  };
  const work = async (): Promise<Outcome> => {
    const { queue, data, attempt } = claim;
    try {
      const result = await handler({ id: String(claim.id), queue, data, attempt, signal: controller.signal });
      if (!result) return { kind: 'finished' };
      if ('notYetInMs' in result) return { kind: 'given back', inMs: result.notYetInMs };
      return { kind: 'again', inMs: Math.max(0, result.againInMs) };
    } catch (error) {
      if (state === 'stopping') return { kind: 'given back', inMs: null };
      const wait = Math.min(claim.backoffMs * 2 ** (claim.attempt - 1), maxBackoffMs);
      const outcome = failed(claim, wait, error instanceof Error ? error.message : String(error));
      if (state === 'held') log[outcome.inMs === null ? 'error' : 'warn']({ ...about, err: error }, 'job failed');
      return outcome;
    }
  };
  const worked = work();
  void worked.then((outcome) => {
    if (state !== 'lost') return end(outcome);
  });

  return {
    claim,
    done: done.promise,
    abort() {
      if (state === 'held') state = 'stopping';
      controller.abort(new AbandonedWork('the process is stopping'));
    },
    lose() {
      const why = 'the process has not reached the database for too long';
      log.warn(about, `job lost: ${why}`);
      if (state === 'held' || state === 'stopping') state = 'lost';
      controller.abort(new AbandonedWork(why));
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, unwindMs);
      void Promise.race([worked, late.promise]).then(() => {
        clearTimeout(timer);
        return end(failed(claim, 0, why));
      });
    },
    async abandon() {
      if (state === 'abandoned') return;
      state = 'abandoned';
      await store.giveBack(claim).catch((error) => log.error({ ...about, err: error }, 'could not release a job'));
    },
  };
}

interface Failed {
  kind: 'failed';
  inMs: number | null;
  error: string;
}
type Outcome =
  | { kind: 'finished' }
  | { kind: 'given back'; inMs: number | null }
  | { kind: 'again'; inMs: number }
  | Failed;

const failed = ({ attempt, maxAttempts }: Claim, inMs: number, error: string): Failed => ({
  kind: 'failed',
  inMs: attempt >= maxAttempts ? null : inMs,
  error,
});

function write(store: JobStore, claim: Claim, outcome: Outcome): Promise<void> {
  switch (outcome.kind) {
    case 'finished':
      return store.finish(claim);
    case 'given back':
      return store.giveBack(claim, outcome.inMs ?? 0);
    case 'again':
      return store.again(claim, outcome.inMs);
    case 'failed':
      return store.fail(claim, outcome.error, outcome.inMs);
  }
}
