/** Runs in its own thread, because a checkpoint copies megabytes and waits for the disk. */
import { Database } from 'bun:sqlite';
import { parentPort } from 'node:worker_threads';

export interface Asked {
  path: string;
  /** Size of the WAL in pages beyond which writers may have to wait a moment, so that it is restarted. */
  mostPages: number;
}

interface Pages {
  log: number;
  checkpointed: number;
}

let open: { path: string; db: Database } | undefined;

function checkpoint({ path, mostPages }: Asked): void {
  if (open?.path !== path) {
    open?.db.close();
    const db = new Database(path, { readwrite: true, create: false });
    db.run('pragma busy_timeout = 100');
    open = { path, db };
  }
  // Blocks nobody. Pages written meanwhile stay for the next run, so under load the WAL is never quite empty.
  const { log } = open.db.query<Pages, []>('pragma wal_checkpoint(passive)').get()!;
  if (log > mostPages) open.db.query('pragma wal_checkpoint(restart)').get();
}

parentPort!.on('message', (asked: Asked) => {
  let failed: string | null = null;
  try {
    checkpoint(asked);
  } catch (error) {
    failed = String(error);
  }
  parentPort!.postMessage(failed);
});
