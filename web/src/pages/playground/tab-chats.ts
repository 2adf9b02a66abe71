import { onForget } from '../../session.ts';
import { ChatStore, nothingTyped, type Typed } from './chat-store.ts';
import type { Column } from './conversation.ts';
import { newId } from './new-id.ts';
import { defaultSettings, type Settings } from './settings.ts';
import { forgetChats, type StoredChat, storeChats, takeChats } from './stored-chats.ts';

interface Start {
  columns?: Column[];
  settings?: Settings;
  typed?: Typed;
}

function emptyChat({ columns, settings = defaultSettings, typed = nothingTyped }: Start = {}): ChatStore {
  const asked = columns ?? [{ id: newId(), model: '' }];
  const store = new ChatStore({ id: newId(), columns: asked, settings, entries: [] });
  store.keepTyped(typed);
  return store;
}

/** All empty chats share one key. */
const typedFor = (store: ChatStore): string => (store.isEmpty ? '' : store.shown().id);

const keptOf = (store: ChatStore): StoredChat => {
  const { id, name } = store.shown();
  return { id, name, last: store.last, state: store.state(), behind: store.behind };
};

/** The chats held by this tab: the open one, and those with running answers or unsaved changes. */
export class TabChats {
  #stores: ChatStore[];
  readonly removed = new Set<string>();
  readonly #listeners = new Set<() => void>();
  /** Unsent input of chats that are not open, by chat id. */
  readonly #typed: Map<string, Typed>;

  constructor(readonly userId: number) {
    const { chats, drafts } = takeChats(userId);
    this.#typed = new Map(drafts);
    this.#stores = chats.map(({ state, ...rest }) => new ChatStore({ ...rest, ...state }));
    for (const [index, { behind }] of chats.entries()) if (behind) this.#stores[index]!.catchUp();
    if (this.#stores.length === 0) this.#stores = [emptyChat()];
    this.#takeDraft(this.current());
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  current = (): ChatStore => this.#stores[0]!;

  find = (id: string): ChatStore | undefined => this.#stores.find((store) => store.shown().id === id);

  show(store: ChatStore): void {
    const left = this.current();
    if (store === left) return;
    this.#typed.set(typedFor(left), left.typed);
    this.#takeDraft(store);
    // Drop saved chats, so that they are loaded again: they may have been continued elsewhere.
    this.#stores = [store, ...this.#stores.filter((other) => other !== store && other.behind)];
    for (const listener of this.#listeners) listener();
  }

  #takeDraft(store: ChatStore): void {
    if (store.typed === nothingTyped) store.keepTyped(this.#typed.get(typedFor(store)) ?? nothingTyped);
    this.#typed.delete(typedFor(store));
  }

  start(start: Start): void {
    this.show(emptyChat(start));
  }

  remove(id: string): void {
    const store = this.find(id);
    this.removed.add(id);
    store?.end();
    if (store === this.current()) this.start(newLike(store));
    this.#typed.delete(id);
    this.#stores = this.#stores.filter((other) => other !== store);
  }

  /** Stores what would be lost with the page, including unsent input. The open chat comes first, and is stored even if it is empty. */
  keep(): void {
    const current = this.current();
    const some = this.#stores.filter((store) => store.behind || (store === current && store.isEmpty));
    const drafts = [...this.#typed, [typedFor(current), current.typed] as const];
    const unsent = new Map(drafts.filter(([, typed]) => typed !== nothingTyped));
    if (some.length + unsent.size > 0) storeChats(this.userId, { chats: some.map(keptOf), drafts: unsent });
    else forgetChats();
  }

  /** Saves that failed because the session had expired, or there was no space, may succeed now. */
  retry(): void {
    for (const store of this.#stores) if (store.shown().fault) store.saveNow();
  }

  /** Ends the chats first: an answer that finishes later must not save again what was removed. */
  forget(): void {
    for (const store of this.#stores) store.end();
    forgetChats();
  }
}

/** A new chat with the same models, parameters and unsent input, but no messages. */
export function newLike(store: ChatStore): Start {
  const { columns, settings } = store.shown();
  const { text, images } = store.typed;
  store.keepTyped(nothingTyped);
  const { orchestration } = settings;
  return {
    typed: { text, images },
    columns: columns.map(({ model }) => ({ id: newId(), model })),
    // A session belongs to one chat.
    settings: { ...settings, orchestration: { ...orchestration, sessionId: '' } },
  };
}

let tab: TabChats | null = null;

/** The chats of this tab. Those of another user are discarded. */
export function chatsOf(userId: number): TabChats {
  if (tab?.userId !== userId) {
    tab?.forget();
    tab = new TabChats(userId);
  }
  return tab;
}

onForget(() => {
  if (tab) tab.forget();
  else forgetChats();
  tab = null;
});

if (typeof window !== 'undefined') {
  // Keeps partial answers across a reload.
  window.addEventListener('pagehide', () => tab?.keep());
  // Mobile browsers kill background tabs without notice.
  document.addEventListener('visibilitychange', () => document.hidden && tab?.keep());
  // The user may have logged in again in another tab.
  window.addEventListener('focus', () => tab?.retry());
}
