import { sql } from 'kysely';
import { insertMany } from '../../../platform/db/insert-many.ts';
import { type Db, engineOf } from '../../../platform/db/tables.ts';
import type { ItemRow, NewItem, Scope } from './tables.ts';

const columns = [
  ...['user_id', 'key_id', 'item_id', 'response_id', 'position'],
  ...['made', 'conversation_id', 'place', 'body'],
] as (keyof NewItem)[];
/** A statement has room for some tens of thousands of values. */
const rowsAtOnce = 500;

export async function insertItems(db: Db, rows: NewItem[]): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    const some = rows.slice(at, at + rowsAtOnce);
    await insertMany(
      db,
      'kept_items',
      columns,
      some.flatMap((row) => columns.map((name) => row[name])),
    );
  }
}

/**
 * Before items of a response or of a conversation are taken away, since either may have them too: whoever locked them in
 * another order would wait for this one, and this one for it.
 */
export async function lockItems(tx: Db, of: 'response_id' | 'conversation_id', ids: string[]): Promise<void> {
  if (engineOf(tx) !== 'postgres') return;
  await tx.selectFrom('kept_items').select('ref').where(of, 'in', ids).orderBy('ref').forUpdate().execute();
}

export type Body = Pick<ItemRow, 'item_id' | 'body'>;

/** All items of a chain in one statement, in its order. */
export async function itemsOfChain(db: Db, responseIds: string[]): Promise<Body[]> {
  const order = new Map(responseIds.map((id, index) => [id, index]));
  const rows = await db
    .selectFrom('kept_items')
    .select(['item_id', 'body', 'response_id', 'position'])
    .where('response_id', 'in', responseIds)
    .execute();
  const linkOf = (row: { response_id: string | null }): number => order.get(row.response_id!)!;
  return rows.sort((a, b) => linkOf(a) - linkOf(b) || a.position! - b.position!);
}

/** What a response made. */
export const outputOf = (db: Db, responseId: string): Promise<Body[]> =>
  db
    .selectFrom('kept_items')
    .select(['item_id', 'body'])
    .where('response_id', '=', responseId)
    .where('made', '=', 1)
    .orderBy('position')
    .execute();

/** Of a conversation, in order; those before a place, or all. */
export const itemsOfConversation = (db: Db, conversationId: string, before: number | null): Promise<Body[]> =>
  db
    .selectFrom('kept_items')
    .select(['item_id', 'body'])
    .where('conversation_id', '=', conversationId)
    .$if(before !== null, (query) => query.where('place', '<', before))
    .orderBy('place')
    .execute();

export interface Paging {
  after?: string | undefined;
  limit: number;
  order: 'asc' | 'desc';
}

type Of = { responseId: string } | { conversationId: string };
const holderOf = (of: Of) =>
  'responseId' in of
    ? ({ holder: 'response_id', id: of.responseId, place: 'position' } as const)
    : ({ holder: 'conversation_id', id: of.conversationId, place: 'place' } as const);

/** One page of what a request brought or a conversation holds, and one row more; null when `after` names none of them. */
export async function pageItems(db: Db, of: Of, { after, limit, order }: Paging): Promise<Body[] | null> {
  const { holder, id, place } = holderOf(of);
  const listed = db
    .selectFrom('kept_items')
    .where(holder, '=', id)
    .$if(holder === 'response_id', (query) => query.where('made', '=', 0));
  let from: number | undefined;
  if (after !== undefined) {
    // The last of that id in this direction: whatever ids clients give, a reader comes to an end.
    const found = await listed
      .select(place)
      .where('item_id', '=', after)
      .orderBy(place, invert[order])
      .executeTakeFirst();
    from = (found as Record<string, number> | undefined)?.[place];
    if (from === undefined) return null;
  }
  return listed
    .select(['item_id', 'body'])
    .$if(from !== undefined, (query) => query.where(place, order === 'asc' ? '>' : '<', from!))
    .orderBy(place, order)
    .limit(limit + 1)
    .execute();
}

const invert = { asc: 'desc', desc: 'asc' } as const;

/** By id, of all that is kept for this owner; the latest of each. */
export async function findItems(db: Db, { userId, keyId, since }: Scope, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('kept_items as i')
    .select(['i.item_id', 'i.body'])
    .where('i.user_id', '=', userId)
    .where('i.key_id', '=', keyId)
    .where('i.item_id', 'in', ids)
    .where((e) =>
      e.or([
        e.exists(
          e
            .selectFrom('kept_responses as r')
            .select(sql.lit(1).as('one'))
            .whereRef('r.id', '=', 'i.response_id')
            .where('r.touched_at', '>', since),
        ),
        e.exists(
          e
            .selectFrom('kept_conversations as c')
            .select(sql.lit(1).as('one'))
            .whereRef('c.id', '=', 'i.conversation_id')
            .where('c.touched_at', '>', since),
        ),
      ]),
    )
    .orderBy('i.ref')
    .execute();
  return new Map(rows.map((row) => [row.item_id, row.body]));
}
