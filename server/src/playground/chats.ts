import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { withLock } from '../platform/db/with-lock.ts';
import { nameOf } from './chat-name.ts';
import type { Content } from './content.ts';
import type { PlaygroundDeps } from './deps.ts';
import { limits } from './limits.ts';
import { type ChatHead, insertChat, othersThan, sizeOfChat, versionOf, writeChat } from './store/chats.ts';

export const noChat = () => new AppError('not_found', 'Chat not found');

interface Given {
  chatId: string;
  /** The version this content is based on; 0 for a new chat. */
  version: number;
  content: Content;
}

/** Creates or updates a chat. Concurrent tabs or browsers cannot overwrite each other: the second gets a conflict. */
export async function saveChat(
  { db, clock, storage }: PlaygroundDeps,
  userId: number,
  { chatId, version, content }: Given,
): Promise<{ chat: ChatHead; created: boolean }> {
  const text = JSON.stringify(content);
  const bytes = Buffer.byteLength(text);
  if (bytes > limits.chatBytes) throw tooLarge(`This chat exceeds the maximum size of ${mebibytes(limits.chatBytes)}.`);
  const models = JSON.stringify(content.columns.map(({ model }) => model));
  const said = { models, bytes, content: text, updated_at: nowSeconds(clock) };
  const before = await sizeOfChat(db, userId, chatId);
  if (bytes > before) await storage.take(userId, bytes - before);
  return db.transaction().execute(async (tx) => {
    await withLock(tx, 'playground', userId);
    const kept = await versionOf(tx, userId, chatId);
    if (kept === null && version > 0) throw noChat();
    if (kept !== null && kept !== version)
      throw new AppError('conflict', 'The chat has been saved elsewhere since you loaded it. Reload it.');
    await refuseFull(tx, userId, chatId, bytes, kept === null);
    if (kept !== null) {
      const chat = await writeChat(tx, userId, chatId, said);
      if (!chat) throw noChat();
      return { chat, created: false };
    }
    const name = nameOf(content.entries.find(({ role }) => role === 'user')?.content ?? '');
    const row = { ...said, name, user_id: userId, chat_id: chatId, version: 1, created_at: said.updated_at };
    return { chat: await insertChat(tx, row), created: true };
  });
}

const mebibytes = (bytes: number): string => `${bytes / 1024 ** 2} MiB`;
const tooLarge = (message: string) => new AppError('request_too_large', message);

async function refuseFull(tx: PlaygroundDeps['db'], userId: number, chatId: string, bytes: number, isNew: boolean) {
  const others = await othersThan(tx, userId, chatId);
  if (isNew && others.count >= limits.chats)
    throw new AppError('forbidden', `You have reached the limit of ${limits.chats} chats. Delete some first.`);
  if (others.bytes + bytes > limits.userBytes)
    throw tooLarge(`Your chats together exceed the limit of ${mebibytes(limits.userBytes)}. Delete some first.`);
}
