import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { sql } from 'kysely';
import { migrate } from '../../server/src/platform/db/migrate.ts';
import { openDb } from '../../server/src/platform/db/open.ts';
import type { Db } from '../../server/src/platform/db/tables.ts';
import { databaseUrl } from '../kit/database.ts';
import { type Row, report } from '../kit/report.ts';

const entries = 200_000;
const users = 10_000;

/** Disk space of a million usage log entries as the relay writes them, including indexes. */
export async function disk(): Promise<void> {
  const rows: Row[] = [{ what: 'SQLite', figures: { 'MB for a million usage entries': await onSqlite() } }];
  const postgres = await onPostgres().catch((error) => console.log(`disk: PostgreSQL skipped (${error})`));
  if (postgres !== undefined)
    rows.push({ what: 'PostgreSQL', figures: { 'MB for a million usage entries': postgres } });
  report('disk', rows, []);
}

/** Bytes per entry equal megabytes per million. */
const forMillion = (bytes: number): number => Math.round(bytes / entries);

async function onSqlite(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-disk-'));
  const path = join(folder, 'svc.db');
  const { db, close } = await openDb({ path });
  await migrate(db);
  const size = async () => {
    await sql`pragma wal_checkpoint(truncate)`.execute(db);
    return statSync(path).size;
  };
  const before = await size();
  await addEntries(db, sql`with recursive n(i) as (select 0 union all select i + 1 from n where i < ${entries - 1})`);
  const bytes = (await size()) - before;
  await close();
  rmSync(folder, { recursive: true });
  return forMillion(bytes);
}

async function onPostgres(): Promise<number> {
  const admin = new SQL(databaseUrl, { max: 1, connectionTimeout: 5 });
  const name = `svc_bench_disk_${Date.now()}`;
  await admin.unsafe(`create database ${name}`);
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  const { db, close } = await openDb({ url: url.href, poolSize: 1 });
  try {
    await migrate(db);
    await addEntries(db, sql`with n(i) as (select generate_series(0, ${entries - 1}::bigint))`);
    const { rows } = await sql<{ bytes: number }>`select sum(pg_total_relation_size(inhrelid))::bigint as bytes
      from pg_inherits where inhparent = 'usage_logs'::regclass`.execute(db);
    return forMillion(rows[0]!.bytes);
  } finally {
    await close();
    await admin.unsafe(`drop database ${name} with (force)`);
    await admin.close();
  }
}

/** Of many users in random order, as in production. */
async function addEntries(db: Db, series: ReturnType<typeof sql>): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  await sql`${series} insert into usage_logs (request_id, user_id, key_id, model_id, endpoint, provider, channel_id,
      prompt_tokens, completion_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, units, quota, shortfall,
      stream, status, duration_ms, first_token_ms, balance_after, cost_parts, created_at)
    select 'req_' || (1000000000000000 + i * 7919), 1 + (i * 7919) % ${users}, 1 + (i * 7919) % ${users}, 'openai/gpt-4o-mini',
      '/v1/chat/completions', 'openai', 1, 900, 300, 0, 0, 0, 0, 1500, 0, 1, 'ok', 2100, 400, 1000000 + i,
      '450,1050', ${now} + i / 100 from n`.execute(db);
}
