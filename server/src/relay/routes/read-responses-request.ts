import { AppError } from '../../lib/errors.ts';
import type { Grow } from '../../platform/http/route.ts';
import type { RelayDeps } from '../deps.ts';
import { withOwnFiles } from '../own-files.ts';
import type { Before, Item, Owner, ResponseKeeper } from '../responses/keeper.ts';
import type { Json, Sourced } from '../wire/conversation.ts';
import { invalid, optionalString, readString } from '../wire/read.ts';
import { idOf } from '../wire/responses/echo.ts';
import { itemsOf } from '../wire/responses/items.ts';
import { parseResponsesRequest } from '../wire/responses/request.ts';

/** What a request builds on; at most one of both. */
function namedIn(body: Json): Before {
  const previousResponseId = optionalString(body, 'previous_response_id');
  const id = body.conversation == null ? undefined : readString(idOf(body.conversation), 'conversation');
  if (previousResponseId !== undefined && id !== undefined)
    throw invalid('previous_response_id', `'previous_response_id' and 'conversation' cannot be used together.`);
  return {
    ...(previousResponseId !== undefined && { previousResponseId }),
    ...(id !== undefined && { conversationId: id }),
  };
}

/** A parsed request, and what is stored of it. */
export interface ReadRequest {
  conversation: Sourced;
  /** Its own input. */
  input: Item[];
  named: Before;
}

/** The items of a request, with references resolved. */
export interface ReadItems {
  /** The items it builds on. */
  before: Item[];
  items: Item[];
  /** Its own items as they came. */
  brought: Item[];
  named: Before;
}

export async function readItems(
  keeper: ResponseKeeper,
  owner: Owner,
  body: Json,
  grow: Grow = () => {},
): Promise<ReadItems> {
  const named = namedIn(body);
  const brought = itemsOf(body.input);
  const before = Object.keys(named).length > 0 ? await keeper.before(owner, named, grow) : [];
  const items = await resolveItems(keeper, owner, brought, grow);
  if (body.store !== false) keeper.admit(items);
  return {
    before: await resolveItems(keeper, owner, before, grow),
    items: keeper.expand(owner, items),
    brought,
    named,
  };
}

/** The whole conversation to continue. What could not be stored is refused before a model is asked. */
export async function readRequest(
  deps: Pick<RelayDeps, 'fileOf'>,
  keeper: ResponseKeeper,
  owner: Owner,
  body: Json,
  grow: Grow = () => {},
): Promise<ReadRequest> {
  const { before, items, brought, named } = await readItems(keeper, owner, body, grow);
  // The stored items still refer to the files.
  const withFiles = (some: Item[]) => withOwnFiles(deps, owner.userId, some, grow);
  const whole = { ...body, ...(body.input != null && { input: await withFiles(items) }) };
  const conversation = parseResponsesRequest(whole, await withFiles(before), keeper.seals(owner));
  return { conversation, input: brought, named };
}

/** As many as a conversation may have. */
const mostReferences = 1_000;
const mostReferredBytes = 32 * 1024 * 1024;

/** `type` is optional if there is only an id. */
const isReference = ({ type, role, id }: Item): boolean =>
  type === 'item_reference' || (type == null && role === undefined && typeof id === 'string');

/** Resolves item references. Each item is read once, and counts once per reference. */
async function resolveItems(keeper: ResponseKeeper, owner: Owner, items: Item[], grow: Grow): Promise<Item[]> {
  if (!items.some(isReference)) return items;
  if (items.filter(isReference).length > mostReferences)
    throw invalid('input', `'input' may refer to at most ${mostReferences} items.`);
  const known = new Map<unknown, Referred>();
  const found: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    if (!isReference(item)) {
      found.push(item);
      continue;
    }
    const referred = known.get(item.id) ?? (await referredBy(keeper, owner, item));
    known.set(item.id, referred);
    bytes += referred.bytes;
    if (bytes > mostReferredBytes)
      throw new AppError('request_too_large', `The items that 'input' refers to are larger than 32 MiB.`, {
        param: 'input',
      });
    grow(referred.bytes);
    found.push(referred.item);
  }
  return found;
}

interface Referred {
  item: Item;
  bytes: number;
}

async function referredBy(keeper: ResponseKeeper, owner: Owner, { id }: Item): Promise<Referred> {
  const name = readString(id, 'input.id');
  const item = await keeper.item(owner, name);
  if (item) return { item, bytes: JSON.stringify(item).length };
  throw new AppError('not_found', `Item with id '${name}' not found.`, { param: 'input' });
}
