import { type Db, engineOf } from '../../../platform/db/tables.ts';
import { Batcher } from '../../../platform/durable/batch.ts';
import { isUnavailable } from '../../../platform/durable/errors.ts';
import { insertEndedPostgres } from './ended-postgres.ts';
import { insertEndedSqlite } from './ended-sqlite.ts';
import type { EndedRows } from './tables.ts';

/** Resolves when it is on disk. An existing one is left unchanged. */
export type WriteEnded = (ended: EndedRows) => Promise<void>;

/** Bounds one PostgreSQL text and one event-loop turn of SQLite; larger batches are split. */
const most = { bytes: 1024 * 1024, items: 1_000 };

/** Responses that end together are written together: a commit costs more than the rows. */
export function openEndedWriter(db: Db): WriteEnded {
  const insert = engineOf(db) === 'postgres' ? insertEndedPostgres : insertEndedSqlite;
  const write = async (group: EndedRows[]): Promise<(true | Error)[]> => {
    try {
      await insert(db, group);
      return group.map(() => true);
    } catch (error) {
      // An unavailable database fails for all. Otherwise one row is bad, and the others must not suffer.
      if (group.length === 1 || isUnavailable(error)) return group.map(() => error as Error);
      const ends: (true | Error)[] = [];
      for (const one of group) ends.push(...(await write([one])));
      return ends;
    }
  };
  const batcher = new Batcher<EndedRows, true>(async (batch) => {
    const [first, ...others] = groupsOf(batch);
    const ends = await write(first!);
    for (const group of others) {
      await new Promise(setImmediate);
      ends.push(...(await write(group)));
    }
    return ends;
  });
  return async (ended) => void (await batcher.add(ended));
}

/** In order; none exceeds the limit except for a single large response. */
function groupsOf(batch: EndedRows[]): EndedRows[][] {
  const groups: EndedRows[][] = [[]];
  const sum = { bytes: 0, items: 0 };
  for (const ended of batch) {
    const { row, items } = ended;
    const bytes = row.bytes + row.response.length;
    const group = groups.at(-1)!;
    if (group.length > 0 && (sum.bytes + bytes > most.bytes || sum.items + items.length > most.items)) {
      groups.push([ended]);
      sum.bytes = bytes;
      sum.items = items.length;
      continue;
    }
    group.push(ended);
    sum.bytes += bytes;
    sum.items += items.length;
  }
  return groups;
}
