import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { systemClock } from '../../server/src/lib/clock.ts';
import { noConnectedTools } from '../../server/src/lib/connected-tools.ts';
import type { ModelInfo } from '../../server/src/orchestra/models.ts';
import { type Orchestra, openOrchestra } from '../../server/src/orchestra/open.ts';
import type { Complete, Embed } from '../../server/src/orchestra/ports.ts';
import { migrate } from '../../server/src/platform/db/migrate.ts';
import { migrations } from '../../server/src/platform/db/migrations/index.ts';
import { type OpenDb, openDb } from '../../server/src/platform/db/open.ts';
import { openOwners } from '../../server/src/platform/durable/owners.ts';
import { openLog } from '../../server/src/platform/log.ts';
import { memoryShared } from '../../server/src/platform/shared/memory.ts';
import { unbounded } from '../../server/src/platform/storage-quota/storage-quota.fixture.ts';

export interface Bench {
  orchestra: Orchestra;
  opened: OpenDb;
  close(): Promise<void>;
}

export interface Simulated {
  models: ModelInfo[];
  complete?: Complete;
  embed?: Embed;
}

const absent = () => Promise.reject(new Error('this benchmark does not have this model'));
const unset = { plan: '', easy: '', medium: '', hard: '', embedding: '', rerank: '' };

/** The engine as shipped, with its own database; only the models are simulated. */
export async function openEngine(
  opened: OpenDb,
  { models, complete = absent, embed = absent }: Simulated,
): Promise<Bench> {
  await migrate(opened.db, migrations);
  const owners = await openOwners({ db: opened.db, log: openLog('warn') });
  const orchestra = openOrchestra({
    db: opened.db,
    // No benchmark imports files.
    jobs: { enqueue: async () => null, work: () => {} },
    clock: systemClock,
    owners,
    storage: unbounded,
    shared: memoryShared(systemClock),
    complete,
    embed,
    rerank: absent,
    permit: (caller) => caller,
    parallelRuns: () => 1_000,
    requireMoney: async () => {},
    connectedTools: noConnectedTools,
    models: () => models,
    operator: () => unset,
    warn: (message, error) => console.error(message, error),
  });
  const close = async () => {
    await orchestra.settled();
    await owners.leave();
    await opened.close();
  };
  return { orchestra, opened, close };
}

/** A SQLite file that is deleted when closed. */
export async function openFile(): Promise<OpenDb> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const opened = await openDb({ path: join(folder, 'bench.db') });
  return {
    ...opened,
    close: async () => {
      await opened.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A PostgreSQL database that is dropped when closed; null if no server is reachable. */
export async function openPostgres(): Promise<OpenDb | null> {
  const server = process.env.DATABASE_URL_TEST ?? 'postgres://root@127.0.0.1:5432/postgres';
  const admin = new SQL(server, { max: 1, connectionTimeout: 3 });
  const name = `svc_bench_${crypto.randomUUID().replaceAll('-', '')}`;
  try {
    await admin.unsafe(`create database ${name}`);
  } catch {
    await admin.close();
    return null;
  }
  const url = new URL(server);
  url.pathname = `/${name}`;
  const opened = await openDb({ url: url.href, poolSize: 4 });
  return {
    ...opened,
    close: async () => {
      await opened.close();
      await admin.unsafe(`drop database ${name} with (force)`);
      await admin.close();
    },
  };
}
