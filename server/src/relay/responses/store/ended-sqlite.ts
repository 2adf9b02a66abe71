import { prepared } from '../../../platform/db/prepared.ts';
import { writeSync } from '../../../platform/db/sqlite-dialect.ts';
import type { Db } from '../../../platform/db/tables.ts';
import type { EndedRows } from './tables.ts';

const insertResponse = `insert into kept_responses (id, user_id, key_id, status, model, background, previous_id, response,
  contents, items, bytes, created_at, touched_at, ended_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing`;
const insertItem = `insert into kept_items (user_id, key_id, item_id, response_id, position, made, body)
  values (?, ?, ?, ?, ?, ?, ?)`;

/** All or nothing. */
export const insertEndedSqlite = (db: Db, group: EndedRows[]): void | Promise<void> =>
  writeSync(db, (writer) => {
    const response = prepared(writer, insertResponse);
    const item = prepared(writer, insertItem);
    for (const { row, items } of group) {
      const { changes } = response.run(
        row.id,
        row.user_id,
        row.key_id,
        row.status,
        row.model,
        row.background,
        row.previous_id ?? null,
        row.response,
        row.contents ?? null,
        row.items,
        row.bytes,
        row.created_at,
        row.touched_at,
        row.ended_at ?? null,
      );
      if (changes === 0) continue;
      for (const { user_id, key_id, item_id, response_id, position, made, body } of items)
        item.run(user_id, key_id, item_id, response_id, position, made, body);
    }
  });
