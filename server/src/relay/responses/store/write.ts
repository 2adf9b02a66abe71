import type { Db } from '../../../platform/db/tables.ts';
import { type Ending, endWork } from './background.ts';
import { growConversation, placeItems } from './conversations.ts';
import { insertFirstEvents } from './events.ts';
import { insertItems, type NewItem } from './items.ts';
import { insertResponse, renewChain } from './responses.ts';
import type { NewResponseRow, ResponseRow, Scope } from './tables.ts';

/** A response that has ended, with everything that follows from it, or nothing. */
export async function writeEnded(
  db: Db,
  scope: Scope,
  row: NewResponseRow,
  items: NewItem[],
  now: number,
  mostLinks: number,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (!(await insertResponse(tx, row))) return;
    await insertItems(tx, items);
    await linkUp(tx, scope, row, now, mostLinks);
  });
}

/** One that is to be worked on; its conversation gets its items when it has ended. */
export async function writeQueued(db: Db, row: NewResponseRow, items: NewItem[], events: string[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (!(await insertResponse(tx, row))) return;
    await insertItems(tx, items);
    await insertFirstEvents(tx, row.id, events);
  });
}

/** The end of work that this process holds; false, and nothing is written, when it no longer does. */
export function writeOutcome(
  db: Db,
  scope: Scope,
  row: ResponseRow,
  ending: Ending,
  items: NewItem[],
  now: number,
  mostLinks: number,
  /** Further writes of the same transaction. */
  within: (tx: Db) => Promise<void>,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    if (!(await endWork(tx, row.id, row.epoch, ending, now))) return false;
    await within(tx);
    await insertItems(tx, items);
    const sum = { items: row.items + ending.items, bytes: row.bytes + ending.bytes };
    await linkUp(tx, scope, { ...row, ...sum }, now, mostLinks);
    return true;
  });
}

/** A response becomes part of what it was built on. A conversation that was deleted meanwhile gets nothing. */
async function linkUp(
  tx: Db,
  scope: Scope,
  row: Pick<NewResponseRow, 'id' | 'previous_id' | 'conversation_id' | 'items' | 'bytes'>,
  now: number,
  mostLinks: number,
): Promise<void> {
  if (row.previous_id) await renewChain(tx, scope, row.previous_id, now, mostLinks);
  if (!row.conversation_id) return;
  const place = await growConversation(tx, scope, row.conversation_id, { items: row.items, bytes: row.bytes }, now);
  if (place !== null) await placeItems(tx, row.id, row.conversation_id, place);
}
