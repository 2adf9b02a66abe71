import { type ChatState, type Content, fitting, packed, unpacked } from './chat-content.ts';
import type { LastSave } from './chat-saver.ts';
import type { Typed } from './chat-store.ts';

/** Session storage key for unsaved chats and unsent input. They survive a reload of the tab, but not its closing. */
const place = 'svc-playground';
/** Browsers limit session storage to a few megabytes. */
const someBytes = 1024 * 1024;

export interface StoredChat {
  id: string;
  last: LastSave;
  name: string;
  state: ChatState;
  /** Whether there are unsaved changes. */
  behind: boolean;
}

/** Unsent input by chat id. */
export type Drafts = ReadonlyMap<string, Typed>;

export interface Stored {
  /** The first one was open. */
  chats: StoredChat[];
  drafts: Drafts;
}
const nothing: Stored = { chats: [], drafts: new Map() };

interface Written extends Omit<StoredChat, 'state'> {
  content: Content;
}

export const serializeChats = (
  userId: number,
  { chats, drafts }: Stored,
  mostBytes = Number.POSITIVE_INFINITY,
): string =>
  JSON.stringify({
    userId,
    chats: chats.map(({ state, ...rest }): Written => ({ ...rest, content: fitting(packed(state), mostBytes) })),
    drafts: [...drafts].map(([id, { images, ...texts }]) => [
      id,
      { ...texts, images: JSON.stringify(images).length > mostBytes ? [] : images },
    ]),
  });

/** Empty if the data belongs to another user, or was written by an incompatible version. */
export function parseChats(userId: number, text: string | null): Stored {
  try {
    const kept = JSON.parse(text ?? '{}') as { userId?: number; chats?: Written[]; drafts?: [string, Typed][] };
    if (kept.userId !== userId || !Array.isArray(kept.chats)) return nothing;
    const chats = kept.chats.map(({ content, ...rest }) => ({ ...rest, state: unpacked(content) }));
    return { chats, drafts: new Map(kept.drafts) };
  } catch {
    return nothing;
  }
}

export function storeChats(userId: number, stored: Stored): void {
  for (const mostBytes of [Number.POSITIVE_INFINITY, someBytes]) {
    try {
      sessionStorage.setItem(place, serializeChats(userId, stored, mostBytes));
      return;
    } catch {
      // Storage is full or blocked by the browser: retry without images, then give up.
      forgetChats();
    }
  }
}

/**
 * Removes what it reads: if the page is later killed without notice, the stored copy would be older than the service's.
 */
export function takeChats(userId: number): Stored {
  try {
    const text = sessionStorage.getItem(place);
    forgetChats();
    return parseChats(userId, text);
  } catch {
    return nothing;
  }
}

export function forgetChats(): void {
  try {
    sessionStorage.removeItem(place);
  } catch {
    // Storage is blocked by the browser, so there is nothing to remove.
  }
}
