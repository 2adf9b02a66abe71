import { z } from 'zod';
import { answered, done } from '../../platform/http/answers.ts';
import { cursorField, cursorOf, nextCursor } from '../../platform/http/cursor.ts';
import { pageFields } from '../../platform/http/paging.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import { shownName } from '../../platform/http/shown-text.ts';
import { noChat, saveChat } from '../chats.ts';
import { type Content, chosenId, contentSchema } from '../content.ts';
import type { PlaygroundDeps } from '../deps.ts';
import { limits } from '../limits.ts';
import { searchChats } from '../search-chats.ts';
import { type ChatHead, deleteChat, findChat, listChats, nameChat } from '../store/chats.ts';
import { base, int, root } from './shared.ts';

const path = `${root}/chats`;
const params = z.object({ chat_id: chosenId });

const headFields = {
  id: z.string(),
  name: z.string(),
  models: z.array(z.string()),
  bytes: int,
  version: int,
  created_at: int,
  updated_at: int,
};
const headSchema = z.object(headFields).meta({ id: 'PlaygroundChat' });
const listedSchema = z.object({
  ...headFields,
  excerpt: z.string().nullable().meta({ description: 'The message around the first match of q' }),
});
const searched = z.string().trim().max(limits.searchLength).default('').meta({ description: 'Words to search for' });
const wholeSchema = z.object({ ...headFields, content: contentSchema });

const viewOf = ({ chat_id, name, models, bytes, version, created_at, updated_at }: ChatHead) => ({
  id: chat_id,
  name,
  models: JSON.parse(models) as string[],
  bytes,
  version,
  created_at,
  updated_at,
});

/** For the version and the JSON around the content. */
const envelopeBytes = 4_096;

export function chatRoutes(deps: PlaygroundDeps): Route[] {
  const { db } = deps;
  return [
    defineRoute({
      ...base,
      method: 'get',
      path,
      summary:
        'List chats, most recently used first; with q only those whose name or messages contain every word of it',
      query: z.strictObject({ q: searched, page_size: pageFields.page_size, cursor: cursorField(2) }),
      answers: { 200: answered(z.object({ chats: z.array(listedSchema), ...nextCursor })) },
      handle: async (call) => {
        const { cursor, page_size: limit, q } = call.query;
        const userId = call.principal.user.id;
        const from = cursor && { updatedAt: cursor[0]!, id: cursor[1]! };
        const chats = q
          ? await searchChats(db, { userId, q, from, limit })
          : await listChats(db, { userId, after: from, limit });
        const last = chats.length === limit ? chats.at(-1)! : null;
        const listed = chats.map((chat) => ({ ...viewOf(chat), excerpt: 'excerpt' in chat ? chat.excerpt : null }));
        return ok(call, { chats: listed, next_cursor: last && cursorOf([last.updated_at, last.id]) });
      },
    }),
    defineRoute({
      ...base,
      method: 'get',
      path: `${path}/{chat_id}`,
      summary: 'Get a chat with all its messages',
      params,
      answers: { 200: answered(wholeSchema) },
      handle: async (call) => {
        const chat = await findChat(db, call.principal.user.id, call.params.chat_id);
        if (!chat) throw noChat();
        return ok(call, { ...viewOf(chat), content: JSON.parse(chat.content) as Content });
      },
    }),
    defineRoute({
      ...base,
      method: 'put',
      path: `${path}/{chat_id}`,
      summary: 'Save a chat under an ID of your choice; 409 if it was saved elsewhere in the meantime',
      params,
      body: z.strictObject({
        version: int.min(0).meta({ description: 'Version that this one is based on; 0 for a new chat' }),
        content: contentSchema,
      }),
      maxBytes: limits.chatBytes + envelopeBytes,
      answers: { 200: answered(headSchema), 201: answered(headSchema) },
      handle: async (call) => {
        const { chat_id: chatId } = call.params;
        const { chat, created } = await saveChat(deps, call.principal.user.id, { chatId, ...call.body });
        return ok(call, viewOf(chat), created ? 201 : 200);
      },
    }),
    defineRoute({
      ...base,
      method: 'put',
      path: `${path}/{chat_id}/name`,
      summary: 'Rename a chat',
      params,
      body: z.strictObject({ name: shownName(limits.nameLength) }),
      answers: { 200: answered(headSchema) },
      handle: async (call) => {
        const chat = await nameChat(db, call.principal.user.id, call.params.chat_id, call.body.name);
        if (!chat) throw noChat();
        return ok(call, viewOf(chat));
      },
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: `${path}/{chat_id}`,
      summary: 'Delete a chat permanently',
      params,
      answers: { 200: done },
      handle: async (call) => {
        if (!(await deleteChat(db, call.principal.user.id, call.params.chat_id))) throw noChat();
        return json(call, { success: true, message: 'The chat is deleted.' });
      },
    }),
  ];
}
