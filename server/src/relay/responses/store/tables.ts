import type { ExpressionBuilder, Generated, Insertable, Selectable } from 'kysely';
import type { Tables } from '../../../platform/db/tables.ts';

declare module '../../../platform/db/tables.ts' {
  interface Tables {
    kept_responses: ResponsesTable;
    kept_items: ItemsTable;
    kept_conversations: ConversationsTable;
    /** What a response that runs in the background has told so far. */
    kept_events: { response_id: string; seq: number; data: string };
  }
}

interface ResponsesTable {
  id: string;
  user_id: number;
  /** 0 for none. */
  key_id: number;
  status: string;
  model: string;
  background: number;
  previous_id: string | null;
  conversation_id: string | null;
  /** Where its items begin in the conversation. */
  place: number | null;
  /** JSON of the response without its `output`, which are items. */
  response: string;
  /** JSON of its items, where nobody but the response has them and they are named after it; null where they are rows. */
  contents: string | null;
  /** JSON of the body, until a response in the background has ended. */
  request: string | null;
  items: number;
  bytes: number;
  /** Grows with every process that begins to work on it: what a former one writes changes nothing. */
  epoch: Generated<number>;
  /** Of the last event that was given out; numbers are not used again. */
  last_seq: Generated<number>;
  /** 1 while its events are there. */
  told: Generated<number>;
  created_at: number;
  /** When something was built on it last: it is kept for so many days from then. */
  touched_at: number;
  ended_at: number | null;
}

interface ItemsTable {
  ref: Generated<number>;
  user_id: number;
  key_id: number;
  /** Not unique: clients send items again that they were given. */
  item_id: string;
  response_id: string | null;
  /** Within its response: first what the request brought, then what was made. */
  position: number | null;
  /** 1 for what the response made. */
  made: number;
  conversation_id: string | null;
  place: number | null;
  body: string;
}

interface ConversationsTable {
  id: string;
  user_id: number;
  key_id: number;
  metadata: string;
  items: number;
  bytes: number;
  /** Grows only, so that no item comes before one that was read already. */
  next_place: number;
  /** JSON of the names and places of items that were taken out, the last of them; null where none was. */
  removed: string | null;
  created_at: number;
  touched_at: number;
}

export type ResponseRow = Selectable<ResponsesTable>;
export type NewResponseRow = Insertable<ResponsesTable>;
export type ItemRow = Selectable<ItemsTable>;
export type NewItem = Omit<ItemRow, 'ref'>;
/** A response that has ended, outside of any conversation: rows of its own and nothing else; items that it does not hold. */
export interface EndedRows {
  row: NewResponseRow;
  items: NewItem[];
}
export type ConversationRow = Selectable<ConversationsTable>;

/** Whose, and not older than this in seconds: whatever else there is does not exist for them. */
export interface Scope {
  userId: number;
  keyId: number;
  since: number;
}

/** Rows that exist for their owner. */
export const within =
  ({ userId, keyId, since }: Scope) =>
  (e: ExpressionBuilder<Tables, 'kept_responses'> | ExpressionBuilder<Tables, 'kept_conversations'>) => {
    // Both tables have these columns, which the union of their builders cannot say.
    const eb = e as ExpressionBuilder<Tables, 'kept_responses'>;
    return eb.and([eb('user_id', '=', userId), eb('key_id', '=', keyId), eb('touched_at', '>', since)]);
  };

/** Of a conversation: names and places of items that were taken out of it. */
export const readRemoved = (removed: string | null): [itemId: string, place: number][] => JSON.parse(removed ?? '[]');
