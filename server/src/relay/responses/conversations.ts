import { nowSeconds } from '../../lib/clock.ts';
import type { Grow } from '../../platform/http/route.ts';
import { bytesOfRow, rowBytes } from '../../platform/storage-quota/sizes.ts';
import { noConversation, noItem, type ResponsesDeps, requireKeeping, scopeOf } from './deps.ts';
import { asKept, checkItems, newId } from './items.ts';
import { bytesOfRows, resolved, rowsOf } from './keep.ts';
import type { Item, Owner } from './keeper.ts';
import { admitAdded, fullConversation, limits } from './limits.ts';
import * as store from './store/conversations.ts';
import { deleteConversation } from './store/delete.ts';
import { type Paging, pageItems } from './store/items.ts';
import type { ConversationRow, Scope } from './store/tables.ts';

const most = { items: limits.historyItems, bytes: limits.historyBytes };

/** The public form. */
export const viewOf = ({ id, created_at, metadata }: ConversationRow) => ({
  id,
  object: 'conversation',
  created_at,
  metadata: JSON.parse(metadata) as unknown,
});

/** Client operations on conversations; those of other owners do not exist. */
export function newConversations(deps: ResponsesDeps) {
  const { db, clock } = deps;
  const find = async (scope: Scope, id: string): Promise<ConversationRow> => {
    const row = await store.findConversation(db, scope, id);
    if (!row) throw noConversation(id);
    return row;
  };
  const findItem = async (scope: Scope, id: string, itemId: string) => {
    await find(scope, id);
    const found = await store.findConversationItem(db, id, itemId, scope);
    if (!found) throw noItem(itemId);
    return found;
  };
  const kept = async (scope: Scope, items: Item[]): Promise<Item[]> => {
    checkItems(items);
    const whole = await resolved(deps, scope, items, (id) => {
      throw noItem(id);
    });
    if (whole !== items) admitAdded(whole);
    return asKept(whole);
  };

  return {
    async create(owner: Owner, { items, metadata }: { items: Item[]; metadata: object }) {
      requireKeeping(deps, 'conversation');
      const scope = scopeOf(deps, owner);
      const id = newId('conv');
      const rows = rowsOf(scope, null, await kept(scope, items), 0);
      const now = nowSeconds(clock);
      const row: ConversationRow = {
        id,
        user_id: scope.userId,
        key_id: scope.keyId,
        metadata: JSON.stringify(metadata),
        items: rows.length,
        bytes: bytesOfRows(rows),
        next_place: rows.length,
        removed: null,
        created_at: now,
        touched_at: now,
      };
      await deps.storage.take(scope.userId, bytesOfRow(row.metadata) + row.bytes + rowBytes * rows.length);
      await store.insertConversation(
        db,
        row,
        rows.map((item, place) => ({ ...item, conversation_id: id, place })),
      );
      return viewOf(row);
    },
    read: async (owner: Owner, id: string) => viewOf(await find(scopeOf(deps, owner), id)),
    async update(owner: Owner, id: string, metadata: object) {
      const now = nowSeconds(clock);
      const row = await store.setMetadata(db, scopeOf(deps, owner), id, JSON.stringify(metadata), now);
      if (!row) throw noConversation(id);
      return viewOf(row);
    },
    async remove(owner: Owner, id: string): Promise<void> {
      if (!(await deleteConversation(db, scopeOf(deps, owner), id))) throw noConversation(id);
    },
    async addItems(owner: Owner, id: string, items: Item[]): Promise<Item[]> {
      const scope = scopeOf(deps, owner);
      await find(scope, id);
      const added = await kept(scope, items);
      const rows = rowsOf(scope, null, added, 0);
      const bytes = bytesOfRows(rows);
      await deps.storage.take(scope.userId, bytes + rowBytes * rows.length);
      const done = await store.addItems(db, { scope, id, now: nowSeconds(clock) }, { rows, bytes, most });
      if (done) return added;
      await find(scope, id);
      throw fullConversation();
    },
    /** One page and one more item; null if `after` names none of them. */
    async listItems(owner: Owner, id: string, paging: Paging, grow: Grow): Promise<Item[] | null> {
      const { bytes, removed } = await find(scopeOf(deps, owner), id);
      grow(bytes);
      return pageItems(db, { conversationId: id, removed }, paging);
    },
    readItem: async (owner: Owner, id: string, itemId: string): Promise<Item> =>
      JSON.parse((await findItem(scopeOf(deps, owner), id, itemId)).body) as Item,
    async removeItem(owner: Owner, id: string, itemId: string) {
      const scope = scopeOf(deps, owner);
      const { ref, body } = await findItem(scope, id, itemId);
      if (!(await store.removeItem(db, id, { ref, itemId, bytes: Buffer.byteLength(body) }))) throw noItem(itemId);
      return viewOf(await find(scope, id));
    },
  };
}

export type Conversations = ReturnType<typeof newConversations>;
