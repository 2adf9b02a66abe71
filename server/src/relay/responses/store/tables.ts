import type { ExpressionBuilder, Generated, Insertable, Selectable } from 'kysely';
import type { Tables } from '../../../platform/db/tables.ts';

declare module '../../../platform/db/tables.ts' {
  interface Tables {
    kept_responses: ResponsesTable;
    kept_items: ItemsTable;
    kept_conversations: ConversationsTable;
    /** Events of a background response so far. */
    kept_events: { response_id: string; seq: number; data: string };
  }
}

interface ResponsesTable {
  id: string;
  user_id: number;
  /** 0: none. */
  key_id: number;
  status: string;
  model: string;
  background: number;
  previous_id: string | null;
  conversation_id: string | null;
  /** Position of its first item in the conversation. */
  place: number | null;
  /** JSON of the response without its `output`. */
  response: string;
  /** JSON of its items, if only this response has them and they are named after it; null if they are rows. */
  contents: string | null;
  /** JSON of the request, until a background response has ended. */
  request: string | null;
  items: number;
  bytes: number;
  /** Incremented by every process that claims the work, to fence off earlier ones. */
  epoch: Generated<number>;
  /** Number of the last event; numbers are never reused. */
  last_seq: Generated<number>;
  /** 1 while its events exist. */
  told: Generated<number>;
  created_at: number;
  /** When it was last built on; retention counts from then. */
  touched_at: number;
  ended_at: number | null;
}

interface ItemsTable {
  ref: Generated<number>;
  user_id: number;
  key_id: number;
  /** Not unique: clients return items they were given. */
  item_id: string;
  response_id: string | null;
  /** Within its response: input first, then output. */
  position: number | null;
  /** 1 for output. */
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
  /** Only grows, so that no item appears before one that was already read. */
  next_place: number;
  /** JSON of ids and positions of deleted items, the latest ones; null if there are none. */
  removed: string | null;
  created_at: number;
  touched_at: number;
}

export type ResponseRow = Selectable<ResponsesTable>;
export type NewResponseRow = Insertable<ResponsesTable>;
export type ItemRow = Selectable<ItemsTable>;
export type NewItem = Omit<ItemRow, 'ref'>;
/** A finished response outside any conversation: its row, and items that the row does not contain. */
export interface EndedRows {
  row: NewResponseRow;
  items: NewItem[];
}
export type ConversationRow = Selectable<ConversationsTable>;

/** Owner and retention: anything outside does not exist for the owner. */
export interface Scope {
  userId: number;
  keyId: number;
  since: number;
}

/** Rows visible to their owner. */
export const within =
  ({ userId, keyId, since }: Scope) =>
  (e: ExpressionBuilder<Tables, 'kept_responses'> | ExpressionBuilder<Tables, 'kept_conversations'>) => {
    // Both tables have these columns, which the union of their builders cannot express.
    const eb = e as ExpressionBuilder<Tables, 'kept_responses'>;
    return eb.and([eb('user_id', '=', userId), eb('key_id', '=', keyId), eb('touched_at', '>', since)]);
  };

/** A conversation's deleted items: ids and positions. */
export const readRemoved = (removed: string | null): [itemId: string, place: number][] => JSON.parse(removed ?? '[]');
