import { type ChatState, type Content, fitting, packed, unpacked } from './chat-content.ts';
import type { LastSave } from './chat-saver.ts';

/** Where a tab keeps, through a reload, what the service does not have yet; closing the tab ends it. */
const place = 'svc-playground';
/** A browser keeps some megabytes for a tab. */
const someBytes = 1024 * 1024;

export interface KeptChat {
  id: string;
  last: LastSave;
  name: string;
  state: ChatState;
  /** The service does not have all of it. */
  behind: boolean;
}

interface Written extends Omit<KeptChat, 'state'> {
  content: Content;
}

export const written = (userId: number, chats: KeptChat[], mostBytes = Number.POSITIVE_INFINITY): string =>
  JSON.stringify({
    userId,
    chats: chats.map(({ state, ...rest }): Written => ({ ...rest, content: fitting(packed(state), mostBytes) })),
  });

/** The one that was shown first. Of somebody else, or of an earlier version that wrote something else: nothing. */
export function read(userId: number, text: string | null): KeptChat[] {
  try {
    const kept = JSON.parse(text ?? '{}') as { userId?: number; chats?: Written[] };
    if (kept.userId !== userId || !Array.isArray(kept.chats)) return [];
    return kept.chats.map(({ content, ...rest }) => ({ ...rest, state: unpacked(content) }));
  } catch {
    return [];
  }
}

export function keepChats(userId: number, chats: KeptChat[]): void {
  for (const mostBytes of [Number.POSITIVE_INFINITY, someBytes]) {
    try {
      sessionStorage.setItem(place, written(userId, chats, mostBytes));
      return;
    } catch {
      // Full, or forbidden by the browser: then without pictures, and at last nothing.
      forgetChats();
    }
  }
}

/** Once: after a page that ended without a word, it would be older than what the service has. */
export function takeChats(userId: number): KeptChat[] {
  try {
    const text = sessionStorage.getItem(place);
    forgetChats();
    return read(userId, text);
  } catch {
    return [];
  }
}

export function forgetChats(): void {
  try {
    sessionStorage.removeItem(place);
  } catch {
    // Forbidden by the browser: then nothing is there.
  }
}
