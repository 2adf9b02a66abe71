import { Database, type SQLQueryBindings } from 'bun:sqlite';
import { Kysely, sql } from 'kysely';
import { postgresDialect } from './postgres-dialect.ts';
import { PostgresPool } from './postgres-pool.ts';
import {
  Gate,
  queriedWrites,
  readSync,
  rowsWritten,
  type SqliteHandles,
  sqliteDialect,
  writeSync,
} from './sqlite-dialect.ts';
import type { Db, Engine, Tables } from './tables.ts';

export interface OpenDb {
  db: Db;
  engine: Engine;
  /** The pool below Kysely; PostgreSQL only. */
  sql?: PostgresPool;
  /** The file's own handle for statements that must not await (group commits, backups); SQLite only. */
  sqlite?: Database;
  /** One synchronous transaction on that handle, in turn with Kysely's own; SQLite only. */
  writeSync?<T>(work: (writer: Database) => T, failed?: () => void): T | Promise<T>;
  /** The first row of a hot statement, at once unless a transaction is open on a database in memory; SQLite only. */
  readSync?<R>(sql: string, parameters: SQLQueryBindings[]): R | null | Promise<R | null>;
  /** Stands still as long as nothing is written; null while a transaction is open. SQLite only. */
  rowsWritten?(): number | null;
  /** The same, but for what `writeSync` writes: requests in a busy hour, and no accounts, applications or settings. */
  queriedWrites?(): number | null;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** `url` opens PostgreSQL, `path` a SQLite file (`:memory:` for none). */
export async function openDb(where: { url?: string; path?: string; poolSize?: number }): Promise<OpenDb> {
  return where.url ? openPostgres(where.url, where.poolSize ?? 10) : openSqlite(where.path ?? ':memory:');
}

async function openPostgres(url: string, poolSize: number): Promise<OpenDb> {
  const pool = new PostgresPool(url, poolSize);
  await pool.unsafe('select 1');
  const db = new Kysely<Tables>({ dialect: postgresDialect(pool) });
  return {
    db,
    engine: 'postgres',
    sql: pool,
    ping: async () => {
      await sql`select 1`.execute(db);
    },
    close: () => pool.close(),
  };
}

function openSqlite(path: string): OpenDb {
  const writer = new Database(path, { create: true, strict: true });
  writer.run('pragma journal_mode = wal');
  // With WAL, normal loses nothing when the process dies; only a power cut can take the last commits.
  writer.run('pragma synchronous = normal');
  writer.run('pragma foreign_keys = on');
  writer.run('pragma busy_timeout = 5000');
  writer.run('pragma cache_size = -16000');
  // A checkpoint copies pages and waits for the disk; every 32 MiB instead of every 4 is an eighth of that.
  writer.run('pragma wal_autocheckpoint = 8000');
  const reader = path === ':memory:' ? writer : new Database(path, { readonly: true, strict: true });
  if (reader !== writer) reader.run('pragma busy_timeout = 5000');
  const handles: SqliteHandles = { writer, reader, gate: new Gate(), queriedWrites: 0 };
  const db = new Kysely<Tables>({ dialect: sqliteDialect(handles) });
  return {
    db,
    engine: 'sqlite',
    sqlite: writer,
    writeSync: (work, failed) => writeSync(handles, work, failed),
    readSync: (sql, parameters) => readSync(handles, sql, parameters),
    rowsWritten: () => rowsWritten(handles),
    queriedWrites: () => queriedWrites(handles),
    ping: async () => {
      reader.query('select 1').get();
    },
    close: async () => {
      if (reader !== writer) reader.close();
      writer.close();
    },
  };
}
