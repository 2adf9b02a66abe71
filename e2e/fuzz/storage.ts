/** Reads the database of the service under test directly. */
import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { SQL } from 'bun';
import type { Service } from '../service.ts';
import type { Storage } from './world.ts';

export function sqliteOf(service: Service): Storage {
  const read = <T>(text: string): T[] => {
    const file = new Database(join(service.dataDir, 'svc.db'), { readonly: true });
    try {
      return file.query<T, []>(text).all();
    } finally {
      file.close();
    }
  };
  return {
    columns: async () =>
      read("select m.name as 'table', c.name from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table'"),
    values: async (table, column) =>
      read<{ value: unknown }>(`select "${column}" as value from "${table}"`).map(({ value }) => value),
  };
}

export function postgresOf(url: string): Storage {
  const read = async <T>(text: string): Promise<T[]> => {
    const sql = new SQL(url, { max: 1 });
    try {
      return [...(await sql.unsafe(text))];
    } finally {
      await sql.close();
    }
  };
  return {
    columns: () =>
      read(
        `select table_name as "table", column_name as name from information_schema.columns where table_schema = 'public'`,
      ),
    values: async (table, column) =>
      (await read<{ value: unknown }>(`select "${column}" as value from "${table}"`)).map(({ value }) => value),
  };
}
