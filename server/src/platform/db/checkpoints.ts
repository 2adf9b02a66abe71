import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Asked } from './checkpoint-worker.ts';

/** SQLite's own checkpoints on the main thread, as a fallback if there is no worker. */
const pagesWithoutThread = 8_000;
/** Below this a worker is not worthwhile. */
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
 * Keeps SQLite's WAL short. A checkpoint on the main thread would block all requests for as long as the disk takes, so
 * a worker does it. The worker is started after the first megabytes and runs every two seconds: a page that changes
 * often is copied only once per run.
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
  // After a restart the WAL file is truncated to this size.
  writer.run(`pragma journal_size_limit = ${64 << 20}`);
  const giveUp = () => {
    clearInterval(timer);
    if (!closed) writer.run(`pragma wal_autocheckpoint = ${pagesWithoutThread}`);
  };
  const start = (): Worker => {
    // The executable contains the worker under this name: see scripts/build-binary.ts.
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
