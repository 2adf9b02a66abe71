import { onePage, type PersonalData, rowsOf } from '../../platform/db/pages.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { ChatRow } from './tables.ts';

/** One by one, since each may have megabytes, yielding to requests in between. */
async function* oneByOne<T>(db: Db, userId: number, act: (id: number) => Promise<T>): AsyncGenerator<T> {
  for await (const ids of rowsOf(db, 'playground_chats', { of: { user_id: userId }, columns: ['id'] }))
    for (const { id } of ids) {
      yield await act(id);
      await new Promise(setImmediate);
    }
}

export const exportOf = (db: Db, userId: number): PersonalData => ({
  chats: oneByOne<ChatRow[]>(db, userId, (id) =>
    db.selectFrom('playground_chats').selectAll().where('id', '=', id).execute(),
  ),
  presets: onePage(() => db.selectFrom('playground_presets').selectAll().where('user_id', '=', userId).execute()),
});

export async function forget(db: Db, userId: number): Promise<void> {
  const gone = oneByOne(db, userId, (id) => db.deleteFrom('playground_chats').where('id', '=', id).execute());
  for await (const _ of gone);
  await db.deleteFrom('playground_presets').where('user_id', '=', userId).execute();
}
