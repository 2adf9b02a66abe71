import { z } from 'zod';
import { defineRoute, json, type Route } from '../../../platform/http/route.ts';
import { noItem } from '../deps.ts';
import type { Item } from '../keeper.ts';
import { limits } from '../limits.ts';
import type { KeptResponses } from '../open.ts';
import { listOf } from '../render.ts';
import * as schemas from './schemas.ts';

const { base, ownerOf, includedIn } = schemas;
const path = '/v1/conversations';
const one = `${path}/{conversation_id}`;
const params = z.object({ conversation_id: z.string() });
const itemParams = z.object({ conversation_id: z.string(), item_id: z.string() });
const items = z.array(schemas.item).max(limits.addedItems, `must have at most ${limits.addedItems} items`);
const query = z.strictObject(schemas.queryFields);

export const conversationRoutes = ({ conversations }: Pick<KeptResponses, 'conversations'>): Route[] => [
  ...wholeRoutes(conversations),
  ...itemRoutes(conversations),
];

const wholeRoutes = (conversations: KeptResponses['conversations']): Route[] => [
  defineRoute({
    ...base,
    method: 'post',
    path,
    summary: 'Create a conversation that responses can be added to',
    idempotent: true,
    maxBytes: limits.addedBytes,
    body: z
      .strictObject({ items: items.nullish(), metadata: schemas.metadata.nullish() })
      .meta({ id: 'ConversationCreate' }),
    answers: { 200: schemas.conversationAnswer },
    handle: async (call) => {
      const { items: given, metadata } = call.body;
      const made = { items: (given ?? []) as Item[], metadata: metadata ?? {} };
      return json(call, await conversations.create(ownerOf(call), made));
    },
  }),
  defineRoute({
    ...base,
    method: 'get',
    path: one,
    summary: 'Get a conversation',
    params,
    answers: { 200: schemas.conversationAnswer },
    handle: async (call) => json(call, await conversations.read(ownerOf(call), call.params.conversation_id)),
  }),
  defineRoute({
    ...base,
    method: 'post',
    path: one,
    summary: 'Update the metadata of a conversation',
    params,
    body: z.strictObject({ metadata: schemas.metadata.nullable() }).meta({ id: 'ConversationUpdate' }),
    answers: { 200: schemas.conversationAnswer },
    handle: async (call) => {
      const { metadata } = call.body;
      return json(call, await conversations.update(ownerOf(call), call.params.conversation_id, metadata ?? {}));
    },
  }),
  defineRoute({
    ...base,
    method: 'delete',
    path: one,
    summary: 'Delete a conversation; its responses are kept',
    params,
    answers: { 200: z.object({ id: z.string(), object: z.literal('conversation.deleted'), deleted: z.literal(true) }) },
    handle: async (call) => {
      const { conversation_id: id } = call.params;
      await conversations.remove(ownerOf(call), id);
      return json(call, { id, object: 'conversation.deleted', deleted: true });
    },
  }),
];

const itemRoutes = (conversations: KeptResponses['conversations']): Route[] => [
  defineRoute({
    ...base,
    method: 'post',
    path: `${one}/items`,
    summary: 'Add up to 20 items to a conversation',
    idempotent: true,
    maxBytes: limits.addedBytes,
    params,
    query,
    body: z.strictObject({ items }).meta({ id: 'ConversationItemsCreate' }),
    answers: { 200: schemas.listAnswer },
    handle: async (call) => {
      const { items: given } = call.body;
      const added = await conversations.addItems(ownerOf(call), call.params.conversation_id, given as Item[]);
      return json(call, listOf(added, added.length, includedIn(call.query)));
    },
  }),
  defineRoute({
    ...base,
    method: 'get',
    path: `${one}/items`,
    summary: 'List the items of a conversation',
    params,
    query: schemas.listQuery,
    answers: { 200: schemas.listAnswer },
    handle: async (call) => {
      const { after, limit = 20, order = 'desc' } = call.query;
      const place = { after, limit, order };
      const grow = (bytes: number) => call.grow?.(bytes);
      const found = await conversations.listItems(ownerOf(call), call.params.conversation_id, place, grow);
      if (!found) throw noItem(after!);
      return json(call, listOf(found, limit, includedIn(call.query)));
    },
  }),
  defineRoute({
    ...base,
    method: 'get',
    path: `${one}/items/{item_id}`,
    summary: 'Get an item of a conversation',
    params: itemParams,
    query,
    answers: { 200: schemas.item },
    handle: async (call) => {
      const { conversation_id, item_id } = call.params;
      const found = await conversations.readItem(ownerOf(call), conversation_id, item_id);
      return json(call, listOf([found], 1, includedIn(call.query)).data[0]);
    },
  }),
  defineRoute({
    ...base,
    method: 'delete',
    path: `${one}/items/{item_id}`,
    summary: 'Remove an item from a conversation',
    params: itemParams,
    answers: { 200: schemas.conversationAnswer },
    handle: async (call) => {
      const { conversation_id, item_id } = call.params;
      return json(call, await conversations.removeItem(ownerOf(call), conversation_id, item_id));
    },
  }),
];
