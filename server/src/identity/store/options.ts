import type { Db } from '../../platform/db/tables.ts';

interface OptionsTable {
  name: string;
  /** JSON. */
  value: string;
  updated_at: number;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    options: OptionsTable;
  }
}

export async function readOptions(db: Db): Promise<Map<string, string>> {
  const rows = await db.selectFrom('options').select(['name', 'value']).execute();
  return new Map(rows.map((row) => [row.name, row.value]));
}

export async function writeOption(db: Db, name: string, value: string, now: number): Promise<void> {
  await db
    .insertInto('options')
    .values({ name, value, updated_at: now })
    .onConflict((c) => c.column('name').doUpdateSet({ value, updated_at: now }))
    .execute();
}
