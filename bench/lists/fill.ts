import { Database } from 'bun:sqlite';
import { SQL } from 'bun';
import { type Amounts, yearSeconds } from './amounts.ts';
import { type Rows, rowsOf } from './rows.ts';
import { keptRows } from './stored-rows.ts';

type Engine = 'sqlite' | 'postgres';

/** Daily sums, as the service writes them with every request. */
const sums = `insert into usage_days (user_id, day, model_id, key_id, requests, prompt_tokens, completion_tokens, quota)
  select user_id, created_at / 86400, model_id, key_id, count(*), sum(prompt_tokens), sum(completion_tokens), sum(quota)
  from usage_logs where request_id like 'grown-%' group by 1, 2, 3, 4`;

function insertOf({ table, count, values }: Rows, engine: Engine): string {
  const numbers =
    engine === 'postgres'
      ? `generate_series(1, ${count}::bigint) as n (i)`
      : `(with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n) as n`;
  const columns = Object.keys(values).join(', ');
  return `insert into ${table} (${columns}) select ${Object.values(values).join(', ')} from ${numbers}`;
}

/** Tables that grow with every request; the others are filled with their indexes in place. */
const largest = ['usage_logs', 'usage_days', 'audit_log', 'routing_decisions'];
const quoted = largest.map((table) => `'${table}'`).join(', ');

/** Millions of rows through the API would take days, so they are written as the service would have left them. */
export function fillFile(path: string, amounts: Amounts): void {
  const db = new Database(path);
  for (const setting of ['journal_mode = wal', 'synchronous = off', 'cache_size = -1000000', 'temp_store = memory'])
    db.run(`pragma ${setting}`);
  db.run('begin');
  // Creating an index at the end sorts once, with the same result.
  const indexes = db
    .query(`select name, sql from sqlite_master where type = 'index' and sql is not null and tbl_name in (${quoted})`)
    .all() as { name: string; sql: string }[];
  for (const { name } of indexes) db.run(`drop index ${name}`);
  for (const rows of [...rowsOf(amounts), ...keptRows(amounts)]) db.run(insertOf(rows, 'sqlite'));
  db.run(sums);
  for (const { sql } of indexes) db.run(sql);
  // This also updates the totals of all users; on PostgreSQL the triggers on the sums did.
  db.run('update usage_filed set up_to = (select max(id) from usage_logs)');
  db.run('commit');
  db.run('pragma wal_checkpoint(truncate)');
  db.close();
}

export async function fillServer(url: string, amounts: Amounts): Promise<void> {
  const sql = new SQL(url, { max: 1 });
  const run = (text: string) => sql.unsafe(text);
  await run(`set maintenance_work_mem = '512MB'`);
  await run(`set work_mem = '512MB'`);
  await makeMonthsBefore(run, amounts.now);
  const indexes = (await run(`select c.relname as name, pg_get_indexdef(c.oid) as text
    from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
    where t.relname in (${quoted}) and not i.indisprimary`)) as { name: string; text: string }[];
  for (const { name } of indexes) await run(`drop index ${name}`);
  for (const rows of [...rowsOf(amounts), ...keptRows(amounts)]) await run(insertOf(rows, 'postgres'));
  await run(sums);
  // For a partitioned table the definition says ONLY, which would leave the partitions without the index.
  for (const { text } of indexes) await run(text.replace(' ON ONLY ', ' ON '));
  await run('vacuum analyze');
  await sql.close();
}

/** The log is partitioned by month; creates the partitions of the past year as the service would have. */
async function makeMonthsBefore(run: (text: string) => Promise<unknown>, now: number): Promise<void> {
  const date = new Date(now * 1000);
  const monthOf = (back: number) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back));
  const seconds = (month: Date) => month.getTime() / 1000;
  for (let back = 1; seconds(monthOf(back - 1)) > now - yearSeconds; back += 1) {
    const name = `usage_logs_${monthOf(back).toISOString().slice(0, 7).replace('-', '_')}`;
    await run(`create table ${name} partition of usage_logs
      for values from (${seconds(monthOf(back))}) to (${seconds(monthOf(back - 1))})`);
  }
}
