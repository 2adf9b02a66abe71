import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { randomString } from '../../lib/ids.ts';

type Row = Record<string, unknown>;
export type Tables = Record<'channels' | 'users' | 'tokens' | 'redemptions' | 'options' | 'abilities', Row[]>;

const number = 'bigint default 0';
const text = "text default ''";

/** The columns that matter, as new-api's models declare them; `flag` and `json` differ by database. */
const columnsOf = (flag: string, json: string): Record<keyof Tables, Row> => ({
  channels: {
    ...{ id: number, type: number, key: 'text not null', status: 'bigint default 1', name: text, weight: number },
    ...{ created_time: number, base_url: text, other: text, models: text, group: "varchar(64) default 'default'" },
    ...{ used_quota: number, model_mapping: 'text', priority: number, setting: 'text', settings: 'text' },
    ...{ param_override: 'text', header_override: 'text', status_code_mapping: text, channel_info: json },
  },
  users: {
    ...{ id: number, username: 'text unique', password: 'text not null', display_name: text, role: number },
    ...{ status: 'bigint default 1', email: text, quota: number, used_quota: number, request_count: number },
    ...{ group: "varchar(64) default 'default'", aff_code: 'varchar(32) unique', deleted_at: 'timestamp' },
  },
  tokens: {
    ...{ id: number, user_id: number, key: 'varchar(128) unique', status: 'bigint default 1', name: text },
    ...{ created_time: number, expired_time: 'bigint default -1', remain_quota: number, unlimited_quota: flag },
    ...{ model_limits_enabled: flag, model_limits: 'text', allow_ips: text, group: text, deleted_at: 'timestamp' },
  },
  redemptions: {
    ...{ id: number, user_id: number, key: 'char(32) unique', status: 'bigint default 1', name: text },
    ...{ quota: number, created_time: number, expired_time: number, deleted_at: 'timestamp' },
  },
  options: { key: 'varchar(191) primary key', value: 'text' },
  abilities: { group: 'varchar(64)', model: 'varchar(255)', channel_id: number, enabled: flag },
});

/** A database of new-api's on the engine that the tests run on; `source` is what the command is given. */
export async function newApiDatabase(rows: Partial<Tables>): Promise<{ source: string; drop(): Promise<void> }> {
  return process.env.SVC_TEST_ENGINE === 'postgres' ? onPostgres(rows) : inFile(rows);
}

async function inFile(rows: Partial<Tables>) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-new-api-'));
  const source = join(folder, 'one-api.db');
  const db = new SQL({ adapter: 'sqlite', filename: source });
  await fill(db, columnsOf('numeric', 'json'), rows);
  await db.close();
  return { source, drop: async () => rmSync(folder, { recursive: true, force: true }) };
}

async function onPostgres(rows: Partial<Tables>) {
  const server = process.env.DATABASE_URL_TEST ?? 'postgres://root@127.0.0.1:5432/postgres';
  const name = `new_api_${randomString(12).toLowerCase()}`;
  const admin = new SQL(server, { max: 1 });
  await admin.unsafe(`create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const db = new SQL(url.href, { max: 1 });
  await fill(db, columnsOf('boolean', 'json'), rows);
  await db.close();
  const drop = async () => {
    await admin.unsafe(`drop database ${name} with (force)`);
    await admin.close();
  };
  return { source: url.href, drop };
}

async function fill(db: SQL, columns: Record<keyof Tables, Row>, rows: Partial<Tables>): Promise<void> {
  for (const [table, types] of Object.entries(columns)) {
    const declared = Object.entries(types).map(([name, type]) => `"${name}" ${type}`);
    await db.unsafe(`create table ${table} (${declared.join(', ')})`);
    for (const row of rows[table as keyof Tables] ?? []) await db`insert into ${db(table)} ${db(row)}`;
  }
}
