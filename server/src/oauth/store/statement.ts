import { CompiledQuery } from 'kysely';
import { type Db, type Engine, engineOf } from '../../platform/db/tables.ts';

export type Statement = Record<Engine, string>;

/** Hot statements are written out: building one anew for each request costs more than running it. */
export const statement = (text: string): Statement => ({
  postgres: text,
  sqlite: text.replace(/\$(\d+)/g, '?$1'),
});

export async function all<R>(db: Db, { [engineOf(db)]: text }: Statement, parameters: unknown[]): Promise<R[]> {
  const result = await db.executeQuery<R>(CompiledQuery.raw(text, parameters));
  return result.rows;
}
