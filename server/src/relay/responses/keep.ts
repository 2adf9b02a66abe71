import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Grow } from '../../platform/http/route.ts';
import { rowBytes } from '../../platform/storage-quota/sizes.ts';
import { itemIds, namesake } from '../wire/responses/item-ids.ts';
import { expandItems } from './compaction.ts';
import { noConversation, noPrevious, type ResponsesDeps, scopeOf } from './deps.ts';
import { asKept, isId, reference, typeOf } from './items.ts';
import type { Before, Item, Owner, ResponseObject } from './keeper.ts';
import { admitHistory, bytesOf, limits, tooLong } from './limits.ts';
import { splitDefaults } from './response-defaults.ts';
import { running } from './store/background.ts';
import { contentsText } from './store/contents.ts';
import { findConversation } from './store/conversations.ts';
import type { WriteEnded } from './store/ended.ts';
import { findItems, itemsOfChain, itemsOfConversation } from './store/items.ts';
import { readChain, renewChain } from './store/responses.ts';
import type { EndedRows, NewItem, NewResponseRow, Scope } from './store/tables.ts';
import { writeInConversation } from './store/write.ts';

type KeepDeps = Pick<ResponsesDeps, 'db' | 'clock' | 'sealer' | 'storage' | 'keptDays'>;

/** All items before a request's own, oldest first. */
export async function readBefore(deps: KeepDeps, owner: Owner, named: Before, grow: Grow = () => {}): Promise<Item[]> {
  const { previousResponseId, conversationId } = named;
  if (previousResponseId !== undefined && conversationId !== undefined)
    throw new AppError('invalid_value', "Send either 'previous_response_id' or 'conversation', not both.", {
      param: 'conversation',
    });
  const scope = scopeOf(deps, owner);
  const items =
    previousResponseId !== undefined
      ? await readHistory(deps.db, scope, previousResponseId, grow)
      : conversationId !== undefined
        ? await readConversation(deps.db, scope, conversationId, grow)
        : [];
  return expandItems(deps.sealer, owner, items);
}

async function readConversation(db: Db, scope: Scope, id: string, grow: Grow): Promise<Item[]> {
  const found = isId(id) ? await findConversation(db, scope, id) : null;
  if (!found) throw noConversation(id, 'conversation');
  admitHistory('conversation', found);
  grow(found.bytes);
  return itemsOfConversation(db, id, null);
}

/** One statement finds the chain of responses and its size; then the items are read. */
async function readHistory(db: Db, scope: Scope, id: string, grow: Grow): Promise<Item[]> {
  const links = isId(id) ? await readChain(db, scope, id, limits.links) : [];
  const [oldest] = links;
  const latest = links.at(-1);
  if (!oldest || !latest) throw noPrevious(id);
  if (running.includes(latest.status))
    throw new AppError(
      'conflict',
      `The response ${id} is ${latest.status}. Wait until it has ended before you continue from it.`,
      {
        param: 'previous_response_id',
      },
    );
  // An incomplete chain is refused: a model without the beginning would answer something else, unnoticed.
  if (oldest.previous_id !== null) throw links.length === limits.links ? tooLong() : noPrevious(id);
  const sum = { items: 0, bytes: 0 };
  for (const link of links) {
    sum.items += link.items;
    sum.bytes += link.bytes;
  }
  admitHistory('previous_response_id', sum);
  grow(sum.bytes);
  const items = await itemsOfChain(db, links);
  if (oldest.conversation_id === null) return items;
  // The first response belonged to a conversation, and builds on its items until then.
  const conversation = await findConversation(db, scope, oldest.conversation_id);
  if (!conversation) throw noPrevious(id);
  admitHistory('previous_response_id', {
    items: sum.items + conversation.items,
    bytes: sum.bytes + conversation.bytes,
  });
  grow(conversation.bytes);
  return [...(await itemsOfConversation(db, conversation.id, oldest.place)), ...items];
}

export async function readItem(deps: KeepDeps, owner: Owner, id: string): Promise<Item | null> {
  if (!isId(id)) return null;
  const item = (await findItems(deps.db, scopeOf(deps, owner), [id])).get(id);
  return item === undefined ? null : expandItems(deps.sealer, owner, [item])[0]!;
}

const hasReference = (items: readonly Item[]): boolean => items.some((item) => typeOf(item) === reference);

/** Replaces references by their items; `missing` decides about unresolved ones. */
export async function resolved(
  { db }: Pick<KeepDeps, 'db'>,
  scope: Scope,
  items: Item[],
  missing: (id: string) => Item[],
): Promise<Item[]> {
  if (!hasReference(items)) return items;
  const ids = items.filter((item) => typeOf(item) === reference).map((item) => String(item.id));
  const found = await findItems(db, scope, ids.filter(isId));
  return items.flatMap((item) => {
    if (typeOf(item) !== reference) return [item];
    const whole = found.get(String(item.id));
    return whole === undefined ? missing(String(item.id)) : [whole];
  });
}

/** Items as rows of a response, starting at a position. */
export function rowsOf(scope: Scope, responseId: string | null, items: Item[], made: 0 | 1, from = 0): NewItem[] {
  return items.map((item, index) => ({
    user_id: scope.userId,
    key_id: scope.keyId,
    item_id: isId(item.id) ? item.id : '',
    response_id: responseId,
    position: responseId === null ? null : from + index,
    made,
    conversation_id: null,
    place: null,
    body: JSON.stringify(item),
  }));
}

export const bytesOfRows = (rows: NewItem[]): number => bytesOf(rows.map(({ body }) => body));

interface Ended {
  response: ResponseObject;
  input: Item[];
  named: Before;
}

/** The row of a response and its items' rows. */
export async function newRows(deps: KeepDeps, owner: Owner, ended: Ended) {
  const { scope, row, brought, made, now } = await newRow(deps, owner, ended);
  return { scope, now, ...parted(scope, row, brought, made) };
}

async function newRow(deps: KeepDeps, owner: Owner, { response, input, named }: Ended) {
  const scope = scopeOf(deps, owner);
  const { output } = response;
  const whole = hasReference(input) ? await resolved(deps, scope, input, () => []) : input;
  const brought = asKept(whole, itemIds(response.id, 'i'));
  const now = nowSeconds(deps.clock);
  const { stored, sent } = splitDefaults(response);
  const row: NewResponseRow = {
    id: response.id,
    user_id: scope.userId,
    key_id: scope.keyId,
    status: response.status,
    model: String(response.model ?? '')
      .replaceAll('\0', '')
      .toWellFormed(),
    background: Number(response.background === true),
    previous_id: named.previousResponseId ?? null,
    conversation_id: named.conversationId ?? null,
    place: null,
    response: `${stored}}`,
    contents: null,
    request: null,
    items: brought.length + output.length,
    bytes: 0,
    created_at: now,
    touched_at: now,
    ended_at: now,
  };
  return { scope, row, sent, brought, made: output, now };
}

function parted(scope: Scope, row: NewResponseRow, brought: Item[], made: Item[]): EndedRows {
  const items = [...rowsOf(scope, row.id, brought, 0), ...rowsOf(scope, row.id, made, 1, brought.length)];
  return { row: { ...row, bytes: bytesOfRows(items) }, items };
}

/** Size of its rows. */
export const bytesOfEnded = ({ row, items }: EndedRows): number =>
  rowBytes * (1 + items.length) + row.bytes + Buffer.byteLength(row.response) + (row.request?.length ?? 0);

/** Larger ones are stored as item rows, which are read by page. */
const mostHeld = 16 * 1024;

/** Items stored in the response's own row, if all are named after it; else null. */
function held(row: NewResponseRow, brought: Item[], made: Item[], madeText: string): EndedRows | null {
  const isNamed = ({ id }: Item): boolean => typeof id === 'string' && namesake(id) === row.id;
  if (madeText.length > mostHeld || !brought.every(isNamed) || !made.every(isNamed)) return null;
  const contents = contentsText(JSON.stringify(brought), madeText);
  if (contents.length > mostHeld) return null;
  row.contents = contents;
  row.bytes = Buffer.byteLength(contents);
  return { row, items: [] };
}

/**
 * Stores a finished response; an existing one is left unchanged. Returns its JSON, built from the same pieces, or null
 * if nothing is stored.
 */
export async function keepResponse(
  deps: KeepDeps,
  write: WriteEnded,
  owner: Owner,
  ended: Ended,
): Promise<string | null> {
  if (deps.keptDays() === 0) return null;
  const { scope, row, sent, brought, made, now } = await newRow(deps, owner, ended);
  const madeText = JSON.stringify(made);
  const text = `${sent},"output":${madeText}}`;
  if (row.conversation_id != null) {
    const rows = parted(scope, row, brought, made);
    await deps.storage.take(scope.userId, bytesOfEnded(rows));
    await writeInConversation(deps.db, scope, rows.row, rows.items, now);
    return text;
  }
  // Separately, before what builds on it: extending a chain's life in vain does no harm.
  if (row.previous_id != null) await renewChain(deps.db, scope, row.previous_id, now, limits.links);
  const rows = held(row, brought, made, madeText) ?? parted(scope, row, brought, made);
  await deps.storage.take(scope.userId, bytesOfEnded(rows));
  await write(rows);
  return text;
}
