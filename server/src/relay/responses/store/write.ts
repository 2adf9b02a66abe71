import type { Db } from '../../../platform/db/tables.ts';
import { type Ending, endWork } from './background.ts';
import { growConversation, placeItems } from './conversations.ts';
import { insertFirstEvents } from './events.ts';
import { insertItems } from './items.ts';
import { insertResponse, renewChain } from './responses.ts';
import type { NewItem, NewResponseRow, ResponseRow, Scope } from './tables.ts';

/** Stores a finished response together with its conversation's items, or nothing. */
export async function writeInConversation(
  db: Db,
  scope: Scope,
  row: NewResponseRow,
  items: NewItem[],
  now: number,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (!(await insertResponse(tx, row))) return;
    await insertItems(tx, items);
    await joinConversation(tx, scope, row, now);
  });
}

/** A queued response; its conversation gets its items when it has ended. */
export async function writeQueued(db: Db, row: NewResponseRow, items: NewItem[], events: string[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (!(await insertResponse(tx, row))) return;
    await insertItems(tx, items);
    await insertFirstEvents(tx, row.id, events);
  });
}

interface Outcome {
  ending: Ending;
  items: NewItem[];
  now: number;
  /** How far back the chain it builds on is kept for longer. */
  mostLinks: number;
  /** Further writes of the same transaction. */
  within: (tx: Db) => Promise<void>;
}

/** The result of work that this process owns; false, without writing, if it no longer does. */
export function writeOutcome(
  db: Db,
  scope: Scope,
  row: ResponseRow,
  { ending, items, now, mostLinks, within }: Outcome,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    if (!(await endWork(tx, row.id, row.epoch, ending, now))) return false;
    await within(tx);
    await insertItems(tx, items);
    const sum = { items: row.items + ending.items, bytes: row.bytes + ending.bytes };
    if (row.previous_id) await renewChain(tx, scope, row.previous_id, now, mostLinks);
    await joinConversation(tx, scope, { ...row, ...sum }, now);
    return true;
  });
}

/** A conversation that was deleted meanwhile gets nothing. */
async function joinConversation(tx: Db, scope: Scope, row: Joining, now: number): Promise<void> {
  const { id, conversation_id, items, bytes } = row;
  if (!conversation_id) return;
  const place = await growConversation(tx, { scope, id: conversation_id, now }, { items, bytes });
  if (place !== null) await placeItems(tx, id, conversation_id, place);
}

type Joining = Pick<NewResponseRow, 'id' | 'conversation_id' | 'items' | 'bytes'>;
