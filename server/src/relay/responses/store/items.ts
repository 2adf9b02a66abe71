import { sql } from 'kysely';
import { insertMany } from '../../../platform/db/insert-many.ts';
import { type Db, engineOf } from '../../../platform/db/tables.ts';
import { namesake } from '../../wire/responses/item-ids.ts';
import type { Item } from '../keeper.ts';
import { readContents } from './contents.ts';
import { type ItemRow, type NewItem, type ResponseRow, readRemoved, type Scope, within } from './tables.ts';

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
 * Locks items before they are deleted, in a fixed order: a response and a conversation may share them, and different
 * orders would deadlock.
 */
export async function lockItems(tx: Db, of: 'response_id' | 'conversation_id', ids: string[]): Promise<void> {
  if (engineOf(tx) !== 'postgres') return;
  await tx.selectFrom('kept_items').select('ref').where(of, 'in', ids).orderBy('ref').forUpdate().execute();
}

const itemOf = ({ body }: Pick<ItemRow, 'body'>): Item => JSON.parse(body) as Item;

/** All items of a chain in order: one statement for those inside responses, one for item rows. */
export async function itemsOfChain(db: Db, links: { id: string; holds: number }[]): Promise<Item[]> {
  const idsOf = (holds: number): string[] => links.filter((link) => link.holds === holds).map(({ id }) => id);
  const items = new Map<string, Item[]>();
  for (const { id, contents } of await contentsOf(db, idsOf(1))) {
    const { brought, made } = readContents(contents!);
    items.set(id, [...brought, ...made]);
  }
  for (const row of await rowsOf(db, idsOf(0))) {
    const known = items.get(row.response_id!);
    if (known) known.push(itemOf(row));
    else items.set(row.response_id!, [itemOf(row)]);
  }
  return links.flatMap(({ id }) => items.get(id) ?? []);
}

const contentsOf = async (db: Db, ids: string[]) =>
  ids.length === 0 ? [] : db.selectFrom('kept_responses').select(['id', 'contents']).where('id', 'in', ids).execute();

const rowsOf = async (db: Db, responseIds: string[]) =>
  responseIds.length === 0
    ? []
    : db
        .selectFrom('kept_items')
        .select(['response_id', 'body'])
        .where('response_id', 'in', responseIds)
        .orderBy('response_id')
        .orderBy('position')
        .execute();

/** A response's output. */
export async function outputOf(db: Db, { id, contents }: Pick<ResponseRow, 'id' | 'contents'>): Promise<Item[]> {
  if (contents !== null) return readContents(contents).made;
  const rows = await db
    .selectFrom('kept_items')
    .select('body')
    .where('response_id', '=', id)
    .where('made', '=', 1)
    .orderBy('position')
    .execute();
  return rows.map(itemOf);
}

/** A conversation's items in order, before a position or all. */
export async function itemsOfConversation(db: Db, conversationId: string, before: number | null): Promise<Item[]> {
  const rows = await db
    .selectFrom('kept_items')
    .select('body')
    .where('conversation_id', '=', conversationId)
    .$if(before !== null, (query) => query.where('place', '<', before))
    .orderBy('place')
    .execute();
  return rows.map(itemOf);
}

export interface Paging {
  after?: string | undefined;
  limit: number;
  order: 'asc' | 'desc';
}

type Of = Pick<ResponseRow, 'id' | 'contents'> | { conversationId: string; removed: string | null };
const holderOf = (of: Of) =>
  'conversationId' in of
    ? ({ holder: 'conversation_id', id: of.conversationId, place: 'place' } as const)
    : ({ holder: 'response_id', id: of.id, place: 'position' } as const);

/** One page of a request's input or a conversation, and one more item; null if `after` names none of them. */
export async function pageItems(db: Db, of: Of, { after, limit, order }: Paging): Promise<Item[] | null> {
  if ('contents' in of && of.contents !== null)
    return pageOf(readContents(of.contents).brought, { after, limit, order });
  const { holder, id, place } = holderOf(of);
  const listed = db
    .selectFrom('kept_items')
    .where(holder, '=', id)
    .$if(holder === 'response_id', (query) => query.where('made', '=', 0));
  let from: number | undefined;
  if (after !== undefined) {
    // The last one of that id in this direction, so that paging ends whatever ids clients choose.
    const found = await listed
      .select(place)
      .where('item_id', '=', after)
      .orderBy(place, invert[order])
      .executeTakeFirst();
    from = (found as Record<string, number> | undefined)?.[place] ?? placeOfRemoved(of, after);
    if (from === undefined) return null;
  }
  const rows = await listed
    .select('body')
    .$if(from !== undefined, (query) => query.where(place, order === 'asc' ? '>' : '<', from!))
    .orderBy(place, order)
    .limit(limit + 1)
    .execute();
  return rows.map(itemOf);
}

/** Position of an item that was deleted from a conversation. */
const placeOfRemoved = (of: Of, itemId: string): number | undefined =>
  'removed' in of ? readRemoved(of.removed).find(([id]) => id === itemId)?.[1] : undefined;

const invert = { asc: 'desc', desc: 'asc' } as const;

function pageOf(items: Item[], { after, limit, order }: Paging): Item[] | null {
  const listed = order === 'asc' ? items : items.toReversed();
  const from = after === undefined ? 0 : listed.findIndex(({ id }) => id === after) + 1;
  return after !== undefined && from === 0 ? null : listed.slice(from, from + limit + 1);
}

/** Items by id, of this owner; the latest of each: a returned item is a row, and newer than a stored one. */
export async function findItems(db: Db, scope: Scope, ids: string[]): Promise<Map<string, Item>> {
  const found = await findRows(db, scope, ids);
  const others = ids.filter((id) => !found.has(id));
  for (const [id, item] of await findHeld(db, scope, others)) found.set(id, item);
  return found;
}

/** Items inside the rows of the responses they are named after. */
async function findHeld(db: Db, scope: Scope, ids: string[]): Promise<Map<string, Item>> {
  const names = [...new Set(ids.map(namesake))].filter((name) => name !== null);
  if (names.length === 0) return new Map();
  const rows = await db
    .selectFrom('kept_responses')
    .select('contents')
    .where('id', 'in', names)
    .where('contents', 'is not', null)
    .where(within(scope))
    .execute();
  const asked = new Set(ids);
  const items = rows.flatMap(({ contents }) => Object.values(readContents(contents!)).flat() as Item[]);
  return new Map(items.flatMap((item) => (asked.has(item.id as string) ? [[item.id as string, item]] : [])));
}

async function findRows(db: Db, { userId, keyId, since }: Scope, ids: string[]): Promise<Map<string, Item>> {
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
  return new Map(rows.map((row) => [row.item_id, itemOf(row)]));
}
