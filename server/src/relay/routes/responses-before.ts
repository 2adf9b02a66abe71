import { AppError } from '../../lib/errors.ts';
import type { RelayDeps } from '../deps.ts';
import { withOwnFiles } from '../own-files.ts';
import type { Before, Item, Owner, ResponseKeeper } from '../responses/keeper.ts';
import type { Json, Sourced } from '../wire/conversation.ts';
import { invalid, optionalString, readString } from '../wire/read.ts';
import { idOf } from '../wire/responses/echo.ts';
import { itemsOf } from '../wire/responses/items.ts';
import { parseResponsesRequest } from '../wire/responses/request.ts';

/** What a request builds on; one of both at most. */
function namedIn(body: Json): Before {
  const previousResponseId = optionalString(body, 'previous_response_id');
  const id = body.conversation == null ? undefined : readString(idOf(body.conversation), 'conversation');
  if (previousResponseId !== undefined && id !== undefined)
    throw invalid('previous_response_id', `'previous_response_id' and 'conversation' cannot be given together.`);
  return {
    ...(previousResponseId !== undefined && { previousResponseId }),
    ...(id !== undefined && { conversationId: id }),
  };
}

/** A request, and what is kept of it. */
export interface ReadRequest {
  conversation: Sourced;
  /** What it brought itself. */
  input: Item[];
  named: Before;
}

/** The whole conversation that a request asks to go on with. What could not be kept is refused before a model is asked. */
export async function readRequest(
  deps: Pick<RelayDeps, 'fileOf'>,
  keeper: ResponseKeeper,
  owner: Owner,
  body: Json,
): Promise<ReadRequest> {
  const named = namedIn(body);
  const brought = itemsOf(body.input);
  const before = Object.keys(named).length > 0 ? await keeper.before(owner, named) : [];
  const items = await resolveItems(keeper, owner, brought);
  if (body.store !== false) keeper.admit(items);
  // What is kept names them still.
  const withFiles = (some: Item[]) => withOwnFiles(deps, owner.userId, some);
  const whole = { ...body, ...(body.input != null && { input: await withFiles(keeper.expand(owner, items)) }) };
  const earlier = await withFiles(await resolveItems(keeper, owner, before));
  const conversation = parseResponsesRequest(whole, earlier, keeper.seals(owner));
  return { conversation, input: brought, named };
}

/** Each is looked up by itself; more than any conversation has would be work for nothing. */
const mostReferences = 1_000;

/** `type` may be left out where there is only an id. */
const isReference = ({ type, role, id }: Item): boolean =>
  type === 'item_reference' || (type == null && role === undefined && typeof id === 'string');

/** Items that are named by their ids, as what they stand for. */
async function resolveItems(keeper: ResponseKeeper, owner: Owner, items: Item[]): Promise<Item[]> {
  if (!items.some(isReference)) return items;
  if (items.filter(isReference).length > mostReferences)
    throw invalid('input', `'input' may refer to ${mostReferences} items at most.`);
  const found: Item[] = [];
  for (const item of items) found.push(isReference(item) ? await referred(keeper, owner, item) : item);
  return found;
}

async function referred(keeper: ResponseKeeper, owner: Owner, { id }: Item): Promise<Item> {
  const name = readString(id, 'input.id');
  const item = await keeper.item(owner, name);
  if (item) return item;
  throw new AppError('not_found', `Item with id '${name}' not found.`, { param: 'input' });
}
