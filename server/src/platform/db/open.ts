import { Database } from 'bun:sqlite';
import { Kysely, sql } from 'kysely';
import { openCheckpoints } from './checkpoints.ts';
import { openReadOnly } from './damage.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { wordsForPostgres } from './postgres-fault.ts';
import { PostgresPool } from './postgres-pool.ts';
import { Gate, sqliteDialect } from './sqlite-dialect.ts';
import type { Db, Engine, Tables } from './tables.ts';

export interface OpenDb {
  db: Db;
  engine: Engine;
  /** What the last check of a SQLite file found wrong; absent if nothing. */
  damage?: string | undefined;
  ping(): Promise<void>;
  close(): Promise<void>;
}

const mostFirstTries = 4;

/** `url` opens PostgreSQL, `path` a SQLite file (`:memory:` for none). */
export async function openDb(where: { url?: string; path?: string; poolSize?: number }): Promise<OpenDb> {
  return where.url ? openPostgres(where.url, where.poolSize ?? 10) : openSqlite(where.path ?? ':memory:');
}

/** Read-only: leaves a SQLite file and its folder unchanged. */
export async function openDbReadOnly(where: { url?: string; path?: string }): Promise<OpenDb> {
  if (where.url) return openPostgres(where.url, 1);
  const file = openReadOnly(where.path!);
  return sqliteDb(file, file, null);
}

async function openPostgres(url: string, poolSize: number): Promise<OpenDb> {
  const pool = new PostgresPool(url, poolSize);
  try {
    await firstAnswer(pool);
  } catch (error) {
    await pool.close().catch(() => {});
    throw new Error(await wordsForPostgres(error, url), { cause: error });
  }
  const db = new Kysely<Tables>({ dialect: postgresDialect(pool) });
  return {
    db,
    engine: 'postgres',
    ping: async () => {
      await sql`select 1`.execute(db);
    },
    close: () => pool.close(),
  };
}

/** A server that is busy or just started may take longer for its first answer than for later ones. */
async function firstAnswer(pool: PostgresPool): Promise<void> {
  for (let left = mostFirstTries - 1; ; left -= 1) {
    try {
      await pool.unsafe('select 1');
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== 'ERR_POSTGRES_CONNECTION_TIMEOUT' || left === 0) throw error;
    }
  }
}

function openSqlite(path: string): OpenDb {
  const writer = new Database(path, { create: true, strict: true });
  if (path === ':memory:') return inMemory(writer);
  prepareWriter(writer);
  const reader = new Database(path, { readonly: true, strict: true });
  reader.run('pragma busy_timeout = 5000');
  return sqliteDb(writer, reader, openCheckpoints(path, writer));
}

/** A database without a file. */
export function inMemory(database: Database): OpenDb {
  prepareWriter(database);
  return sqliteDb(database, database, null);
}

function prepareWriter(writer: Database): void {
  writer.run('pragma journal_mode = wal');
  // With WAL, normal loses nothing if the process dies; only a power cut can lose the last commits.
  writer.run('pragma synchronous = normal');
  writer.run('pragma foreign_keys = on');
  writer.run('pragma busy_timeout = 5000');
  writer.run('pragma cache_size = -16000');
}

function sqliteDb(writer: Database, reader: Database, checkpoints: { close(): Promise<void> } | null): OpenDb {
  const db = new Kysely<Tables>({ dialect: sqliteDialect({ writer, reader, gate: new Gate() }) });
  return {
    db,
    engine: 'sqlite',
    ping: async () => {
      reader.query('select 1').get();
    },
    close: async () => {
      await checkpoints?.close();
      if (reader !== writer) reader.close();
      writer.close();
    },
  };
}
