import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Asked } from './checkpoint-worker.ts';

/** Of SQLite itself: in the thread that answers, where nothing else does it. */
const pagesWithoutThread = 8_000;
/** Below this nothing is worth a thread. */
const leastBytes = 8 << 20;
/** 64 MiB of 4 KiB pages. */
const mostPages = 16_384;
const everyMs = 2_000;

export interface CheckpointOptions {
  leastBytes?: number;
  mostPages?: number;
  everyMs?: number;
}

/**
 * Keeps SQLite's log of writes short. A checkpoint in the thread that answers holds up everybody for as long as the disk takes,
 * so it is made in another, which is started with the first megabytes and asked every two seconds: a page that is changed often is copied once for all that.
 */
export function openCheckpoints(
  path: string,
  writer: Database,
  options: CheckpointOptions = {},
): { close(): Promise<void> } {
  let thread: Worker | undefined;
  let busy = false;
  let closed = false;
  writer.run('pragma wal_autocheckpoint = 0');
  // Begun anew, the log keeps no more room than this.
  writer.run(`pragma journal_size_limit = ${64 << 20}`);
  const giveUp = () => {
    clearInterval(timer);
    if (!closed) writer.run(`pragma wal_autocheckpoint = ${pagesWithoutThread}`);
  };
  const start = (): Worker => {
    // The executable holds the thread's program beside its own, under this name: see scripts/build-binary.ts.
    const started = new Worker(new URL('./checkpoint-worker.ts', import.meta.url));
    started.on('message', () => {
      busy = false;
    });
    started.on('error', giveUp);
    started.unref();
    return started;
  };
  const timer = setInterval(() => {
    if (busy || (!thread && sizeOf(`${path}-wal`) < (options.leastBytes ?? leastBytes))) return;
    thread ??= start();
    busy = true;
    thread.postMessage({ path, mostPages: options.mostPages ?? mostPages } satisfies Asked);
  }, options.everyMs ?? everyMs);
  timer.unref();
  return {
    close: async () => {
      closed = true;
      clearInterval(timer);
      await thread?.terminate();
    },
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
