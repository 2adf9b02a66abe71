import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { sql } from 'kysely';
import pino from 'pino';
import { openBilling } from '../server/src/billing/billing.ts';
import { systemClock } from '../server/src/lib/clock.ts';
import { requestId } from '../server/src/lib/ids.ts';
import { migrate } from '../server/src/platform/db/migrate.ts';
import { type OpenDb, openDb } from '../server/src/platform/db/open.ts';
import { openOwners } from '../server/src/platform/durable/owners.ts';

/**
 * Cost of billing per request: hold and settle with 64 concurrent requests. `bun bench/billing.ts [rows]`: with a
 * number, the usage log starts with that many rows. Also measures PostgreSQL if DATABASE_URL_TEST is set.
 */
const concurrency = 64;
const rounds = 20_000;
const rowsBefore = Number(process.argv[2] ?? 0);

async function measure(name: string, database: OpenDb): Promise<void> {
  await migrate(database.db);
  await sql`insert into users (username, username_key, password_hash, display_name, avatar_url, email, role, status,
    "group", quota, created_at)
    values ('bench', 'bench', '', '', '', '', 1, 1, 'default', 1000000000000, 0)`.execute(database.db);
  if (rowsBefore > 0) await fill(database, rowsBefore);
  const log = pino({ level: 'silent' });
  const owners = await openOwners({ db: database.db, log });
  const billing = await openBilling({ database, owners, clock: systemClock, log });
  const usage = { promptTokens: 1000, completionTokens: 200 };
  const price = { promptPrice: 0.5, completionPrice: 0.71, requestPrice: 0 };
  const waits: number[] = [];
  let left = rounds;
  const client = async () => {
    while (left-- > 0) {
      const began = performance.now();
      const hold = await billing.hold({
        requestId: requestId(),
        userId: 1,
        keyId: null,
        keyUnlimited: true,
        amount: 500,
        modelId: 'acme/large',
      });
      await billing.settle(hold, { cost: 321, usage, price, endpoint: '/v1/chat/completions' });
      waits.push(performance.now() - began);
    }
  };
  const cpu = process.cpuUsage();
  const began = performance.now();
  await Promise.all(Array.from({ length: concurrency }, client));
  const wallUs = ((performance.now() - began) * 1000) / rounds;
  const used = process.cpuUsage(cpu);
  waits.sort((a, b) => a - b);
  const median = waits[Math.floor(waits.length / 2)]!;
  const p99 = waits[Math.floor(waits.length * 0.99)]!;
  console.log(
    `${name}: ${wallUs.toFixed(1)} µs per hold+settle (${((used.user + used.system) / rounds).toFixed(1)} µs CPU here), ` +
      `${concurrency} at once, wait p50 ${median.toFixed(2)} ms p99 ${p99.toFixed(2)} ms, ${rowsBefore} rows before`,
  );
  await billing.stop();
  await owners.leave();
}

async function fill({ db }: OpenDb, rows: number): Promise<void> {
  await sql`insert into usage_logs (request_id, user_id, key_id, model_id, endpoint, provider, channel_id, prompt_tokens,
      completion_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, units, quota, shortfall, stream, status,
      duration_ms, first_token_ms, created_at)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(rows)})
    select 'r' || i, 1 + i % 50, i % 7, 'model-' || (i % 13), '/v1', 'p', 1, 10, 5, 0, 0, 0, 0, 3, 0, 0, 'ok', 5, 1,
      1700000000 + i from n`.execute(db);
}

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const embedded = await openDb({ path: join(folder, 'bench.db') });
await measure('SQLite', embedded);
await embedded.close();
rmSync(folder, { recursive: true });

const server = process.env.DATABASE_URL_TEST;
if (server) {
  const admin = new SQL(server, { max: 1 });
  const database = `svc_bench_${process.pid}`;
  await admin.unsafe(`create database ${database}`);
  const url = new URL(server);
  url.pathname = `/${database}`;
  const grown = await openDb({ url: url.href, poolSize: 10 });
  await measure('PostgreSQL', grown);
  await grown.close();
  await admin.unsafe(`drop database ${database} with (force)`);
  await admin.close();
}
