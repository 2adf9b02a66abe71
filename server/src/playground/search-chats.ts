import { YieldTimer } from '../lib/map-yielding.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Content } from './content.ts';
import { limits } from './limits.ts';
import { type ChatHead, contentsOf, listChats, type Place } from './store/chats.ts';

export interface FoundChat extends ChatHead {
  /** The message around the first match; null if only the name matches. */
  excerpt: string | null;
}

/** Characters before and after a match. */
const [before, after] = [30, 90];

/**
 * A user's chats that contain every word of `q` in their name or messages, most recently used first. The contents are
 * compared here and not in SQL: there they are JSON with escapes, images and settings, and SQLite ignores case only for
 * ASCII. At most one chat's limit of bytes is read at once.
 */
export async function searchChats(
  db: Db,
  { userId, q, from, limit }: { userId: number; q: string; from?: Place | undefined; limit: number },
): Promise<FoundChat[]> {
  const words = comparable(q).split(/\s+/).filter(Boolean);
  const turns = new YieldTimer();
  const found: FoundChat[] = [];
  for (const heads of slicesOf(await listChats(db, { userId, after: from, limit: limits.chats }))) {
    const contents = await contentsOf(
      db,
      userId,
      heads.map(({ id }) => id),
    );
    for (const head of heads) {
      const match = matchIn(head.name, contents.get(head.id), words);
      if (match) found.push({ ...head, ...match });
      if (found.length === limit) return found;
      if (turns.due) await turns.give();
    }
  }
  return found;
}

/** Consecutive chats that are read together. */
function slicesOf(heads: ChatHead[]): ChatHead[][] {
  const slices: ChatHead[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const head of heads) {
    bytes += head.bytes;
    if (bytes > limits.chatBytes) {
      slices.push([]);
      bytes = head.bytes;
    }
    slices.at(-1)!.push(head);
  }
  return slices;
}

const comparable = (text: string): string => text.normalize('NFC').toLowerCase();

/** `content` is undefined if the chat was deleted in the meantime. */
function matchIn(name: string, content: string | undefined, words: string[]): { excerpt: string | null } | null {
  if (content === undefined) return null;
  const { entries } = JSON.parse(content) as Content;
  const messages = entries.filter(({ role }) => role !== 'tool').map((entry) => entry.content.normalize('NFC'));
  const texts = [comparable(name), ...messages.map((message) => message.toLowerCase())];
  if (!words.every((word) => texts.some((text) => text.includes(word)))) return null;
  for (const message of messages) {
    const lower = message.toLowerCase();
    const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
    // In a few languages lower case has another length, so the place is another one in the original.
    if (places.length > 0) return { excerpt: excerptOf(lower.length === message.length ? message : lower, places) };
  }
  return { excerpt: null };
}

function excerptOf(text: string, places: number[]): string {
  const at = Math.min(...places);
  const [start, end] = [Math.max(0, at - before), Math.min(text.length, at + after)];
  const cut = text
    .slice(start, end)
    // Halves of a character that was cut in two.
    .replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return `${start > 0 ? '…' : ''}${cut}${end < text.length ? '…' : ''}`;
}
