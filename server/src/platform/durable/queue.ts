import type { Log } from '../log.ts';
import { isUnavailable } from './errors.ts';
import { type Run, startRun } from './job-run.ts';
import type { Claim, JobStore } from './job-store.ts';
import type { JobHandler, Jobs, WorkOptions } from './jobs.ts';
import { retryUntilWritten } from './lease.ts';
import type { Owners } from './owners.ts';
import { importPgBossJobs } from './pg-boss-jobs.ts';

/** Maximum delay of a job that another process added or that became due; one added here starts at once. */
const pollMs = 1_000;
const keepDeadMs = 7 * 24 * 3_600_000;
const sweepEveryMs = 3_600_000;
/** How long handlers may take to react to their aborted signal before their jobs are given back. */
const abortGraceMs = 1_000;

interface Worker {
  options: WorkOptions;
  handler: JobHandler;
}

interface QueueDeps {
  store: JobStore;
  owners: Owners;
  log: Pick<Log, 'warn' | 'error'>;
}

/**
 * Runs the jobs of a store: one loop asks which queues are due, claims as many jobs as there is capacity for, and
 * starts them.
 */
export function openQueue({ store, owners, log }: QueueDeps): Jobs {
  const workers = new Map<string, Worker>();
  const runs = new Set<Run>();
  const alarm = createAlarm(() => tick());
  let running = false;
  let sweptAtMs = Number.NEGATIVE_INFINITY;
  let ticking: Promise<void> | null = null;

  const claimFor = async (queue: string) => {
    const worker = workers.get(queue);
    if (!worker) return;
    const busy = [...runs].filter((run) => run.claim.queue === queue).length;
    const room = worker.options.concurrency - busy;
    if (room <= 0) return;
    for (const claim of await store.claim(queue, room, owners.id)) begin(claim, worker);
  };
  const begin = (claim: Claim, worker: Worker) => {
    const run = startRun({ store, owners, log, claim, handler: worker.handler });
    runs.add(run);
    void run.done.then((nextInMs) => {
      runs.delete(run);
      alarm.in(0);
      if (nextInMs !== null) alarm.in(nextInMs);
    });
  };
  const pass = async () => {
    try {
      for (const queue of await store.due()) if (running) await claimFor(queue);
      if (performance.now() - sweptAtMs > sweepEveryMs) {
        sweptAtMs = performance.now();
        await store.sweep(keepDeadMs);
      }
    } catch (error) {
      log.error({ err: error }, 'could not look for jobs');
    }
  };
  const tick = async () => {
    if (!running) return;
    // One at a time: two ticks would claim more than there is capacity for.
    if (ticking) {
      await ticking;
      return alarm.in(0);
    }
    ticking = pass();
    await ticking;
    ticking = null;
    if (running) alarm.poll();
  };

  const takeBack = async () => {
    if ((await store.takeBack()) + (await importPgBossJobs(store.db)) > 0) alarm.in(0);
  };
  owners.onLost(() => {
    for (const run of runs) run.lose();
  });

  return {
    async enqueue(queue, data, options = {}) {
      const { delayMs = 0, key = null, maxAttempts = 5, backoffMs = 1_000, promised = false } = options;
      const add = async () => {
        const id = await store.add({ queue, data, delayMs, key, maxAttempts, backoffMs });
        if (id !== null && workers.has(queue)) alarm.in(delayMs);
        return id;
      };
      if (!promised) return add();
      return add().catch((error) => {
        if (!isUnavailable(error)) throw error;
        log.warn({ err: error, queue, key }, 'the job will be added when the database is available again');
        void retryUntilWritten(owners, add, () => {});
        return null;
      });
    },
    work(queue, options, handler) {
      if (workers.has(queue)) throw new Error(`queue ${queue} already has a worker`);
      workers.set(queue, { options, handler });
    },
    async start() {
      running = true;
      alarm.open();
      // After billing's handler, so that the holds of a dead process are released before its jobs start again.
      owners.onLook(takeBack);
      await takeBack().catch((error) => log.error({ err: error }, 'could not take over jobs'));
      await tick();
    },
    async stop(drainMs) {
      running = false;
      alarm.close();
      await ticking;
      await settled(runs, drainMs);
      for (const run of runs) run.abort();
      await settled(runs, abortGraceMs);
      await Promise.all([...runs].map((run) => run.abandon()));
    },
    depth: () => store.depth(),
    dead: () => store.dead(),
  };
}

async function settled(runs: Set<Run>, timeoutMs: number): Promise<void> {
  if (runs.size === 0) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([Promise.all([...runs].map((run) => run.done)), late]);
  clearTimeout(timer);
}

/** Calls `ring` at each requested moment, merging those within 10 ms, and once per poll interval. */
function createAlarm(ring: () => void) {
  let pollTimer: ReturnType<typeof setTimeout> | undefined;
  const moments = new Set<number>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let open = false;
  const arm = () => {
    clearTimeout(timer);
    if (!open || moments.size === 0) return;
    const next = Math.min(...moments);
    timer = setTimeout(
      () => {
        moments.delete(next);
        arm();
        ring();
      },
      Math.max(0, next - performance.now()),
    );
  };
  return {
    open() {
      open = true;
    },
    close() {
      open = false;
      moments.clear();
      clearTimeout(timer);
      clearTimeout(pollTimer);
    },
    /** Separate from the moments, or each of them would start its own series of polls. */
    poll() {
      clearTimeout(pollTimer);
      if (open) pollTimer = setTimeout(ring, pollMs);
    },
    in(ms: number) {
      // Later moments are covered by the poll. Rounded up, so that it does not ring before the job is due.
      if (!open || ms > pollMs) return;
      moments.add(ms === 0 ? Math.floor(performance.now()) : Math.ceil((performance.now() + ms + 2) / 10) * 10);
      arm();
    },
  };
}
