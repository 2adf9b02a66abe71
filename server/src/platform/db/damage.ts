import { constants, Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Opens a SQLite file without creating files beside it: without a WAL there is no writer, and readers need none. */
export function openReadOnly(path: string): Database {
  if (existsSync(`${path}-wal`)) return new Database(path, { readonly: true, strict: true });
  const url = `${pathToFileURL(resolve(path)).href}?immutable=1`;
  return new Database(url, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
}

/**
 * What is wrong with the pages of a SQLite file; null if nothing is. Table by table, because a snapshot of the whole
 * file would let the WAL of a busy service grow for as long as the check takes.
 */
export function findDamage(path: string): string | null {
  try {
    const database = openReadOnly(path);
    try {
      database.run('pragma busy_timeout = 10000');
      const tables = database.query<{ name: string }, []>("select name from sqlite_schema where type = 'table'").all();
      for (const { name } of tables) {
        const quoted = `'${name.replaceAll("'", "''")}'`;
        const found = database.query<{ quick_check: string }, []>(`pragma quick_check(${quoted})`).all();
        const wrong = found.find(({ quick_check }) => quick_check !== 'ok');
        if (wrong) return `${name}: ${wrong.quick_check}`;
      }
      return null;
    } finally {
      database.close();
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
