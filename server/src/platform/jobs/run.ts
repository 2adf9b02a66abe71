import type { JobHandler } from './port.ts';
import type { Claim, JobStore, JobsLog } from './store.ts';

/** A doubled wait ends here: a job that waits for days is found by nobody. */
const maxBackoffMs = 6 * 3_600_000;

/** One job being worked on. */
export interface Run {
  claim: Claim;
  /** Resolves when the outcome is written, with the time until the job's next try, if any; never rejects. */
  done: Promise<number | null>;
  /** The process stops: tells the handler, and a job that then fails is given back, not counted as failed. */
  abort(): void;
  /** Gives the job back although its handler has not ended; what the handler does later changes nothing. */
  abandon(): Promise<void>;
}

interface RunParts {
  store: JobStore;
  log: JobsLog;
  claim: Claim;
  leaseMs: number;
  handler: JobHandler;
}

export function startRun({ store, log, claim, leaseMs, handler }: RunParts): Run {
  const controller = new AbortController();
  let state: 'held' | 'stopping' | 'lost' = 'held';
  let ended = false;
  let aliveAtMs = performance.now();
  const about = { job: claim.id, queue: claim.queue, attempt: claim.attempt };

  const lose = (why: string) => {
    if (state === 'lost') return;
    state = 'lost';
    clearInterval(heartbeat);
    controller.abort(new Error(why));
    log.warn(about, `job lost: ${why}`);
  };
  const leaseEnded = () => performance.now() - aliveAtMs >= leaseMs;
  let asking = false;
  const heartbeat = setInterval(async () => {
    // From the lease's end on another process may run the job: this one must stop, though nobody can tell it so.
    if (asking && leaseEnded()) return lose('its lease ran out');
    if (asking) return;
    asking = true;
    const askedAtMs = performance.now();
    try {
      if (await store.extend(claim, leaseMs)) aliveAtMs = askedAtMs;
      else if (!ended) lose('another process has taken it over');
    } catch (error) {
      log.warn({ ...about, err: error }, 'could not extend the lease of a job');
      if (leaseEnded()) lose('its lease ran out');
    } finally {
      asking = false;
    }
  }, leaseMs / 3);

  /** Tried until the lease ends: a database away for a second must not cost the whole work again. */
  const record = async (outcome: Outcome): Promise<void> => {
    while (state !== 'lost') {
      try {
        return await write(store, claim, outcome);
      } catch (error) {
        log.warn({ ...about, err: error }, 'could not write the outcome of a job');
        if (leaseEnded()) return;
        await Bun.sleep(Math.min(500, leaseMs / 3));
      }
    }
  };
  const settle = async (): Promise<number | null> => {
    let outcome: Outcome;
    try {
      const result = await handler({
        id: claim.id,
        queue: claim.queue,
        data: claim.data,
        attempt: claim.attempt,
        signal: controller.signal,
      });
      outcome = result ? { kind: 'again', inMs: Math.max(0, result.againInMs) } : { kind: 'finished' };
    } catch (error) {
      outcome = state === 'stopping' ? { kind: 'given back' } : failed(claim, error);
      if (outcome.kind === 'failed') {
        log[outcome.inMs === null ? 'error' : 'warn']({ ...about, err: error }, 'job failed');
      }
    }
    ended = true;
    await record(outcome);
    clearInterval(heartbeat);
    return outcome.kind === 'again' || outcome.kind === 'failed' ? outcome.inMs : null;
  };

  return {
    claim,
    done: settle(),
    abort() {
      if (state === 'held') state = 'stopping';
      controller.abort(new Error('the process is stopping'));
    },
    async abandon() {
      if (state === 'lost') return;
      state = 'lost';
      clearInterval(heartbeat);
      await store.giveBack(claim).catch((error) => log.error({ ...about, err: error }, 'could not give a job back'));
    },
  };
}

type Outcome =
  | { kind: 'finished' }
  | { kind: 'given back' }
  | { kind: 'again'; inMs: number }
  | { kind: 'failed'; inMs: number | null; error: string };

function failed(claim: Claim, error: unknown): Outcome {
  const last = claim.attempt >= claim.maxAttempts;
  const waitMs = Math.min(claim.backoffMs * 2 ** (claim.attempt - 1), maxBackoffMs);
  return { kind: 'failed', inMs: last ? null : waitMs, error: error instanceof Error ? error.message : String(error) };
}

function write(store: JobStore, claim: Claim, outcome: Outcome): Promise<void> {
  switch (outcome.kind) {
    case 'finished':
      return store.finish(claim);
    case 'given back':
      return store.giveBack(claim);
    case 'again':
      return store.again(claim, outcome.inMs);
    case 'failed':
      return store.fail(claim, outcome.error, outcome.inMs);
  }
}
