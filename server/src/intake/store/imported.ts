import type { Db } from '../../platform/db/tables.ts';

interface TakenInTable {
  source: string;
  kind: string;
  foreign_id: string;
  own_id: number;
  created_at: number;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    taken_in: TakenInTable;
  }
}

export type Kind = 'channel' | 'model' | 'alias' | 'user' | 'key' | 'code';

/** What was imported from a gateway, and its ids here. */
export interface Imported {
  find(kind: Kind, foreignId: string): number | undefined;
  add(kind: Kind, foreignId: string, ownId: number): Promise<void>;
}

/** Within the importing transaction. */
export async function openImported(tx: Db, source: string, now: number): Promise<Imported> {
  const rows = await tx.selectFrom('taken_in').selectAll().where('source', '=', source).execute();
  const known = new Map(rows.map((row) => [`${row.kind} ${row.foreign_id}`, row.own_id]));
  return {
    find: (kind, foreignId) => known.get(`${kind} ${foreignId}`),
    add: async (kind, foreignId, ownId) => {
      known.set(`${kind} ${foreignId}`, ownId);
      const row = { source, kind, foreign_id: foreignId, own_id: ownId, created_at: now };
      await tx.insertInto('taken_in').values(row).execute();
    },
  };
}
