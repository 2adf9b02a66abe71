import { onForget } from '../../session.ts';
import { ChatStore, nothingTyped, type Typed } from './chat-store.ts';
import type { Column } from './conversation.ts';
import { forgetChats, type KeptChat, keepChats, takeChats } from './kept-chats.ts';
import { newId } from './new-id.ts';
import { defaultSettings, type Settings } from './settings.ts';

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

/** Chats in which nothing is said are all the same one. */
const typedFor = (store: ChatStore): string => (store.isEmpty ? '' : store.shown().id);

const keptOf = (store: ChatStore): KeptChat => {
  const { id, name } = store.shown();
  return { id, name, last: store.last, state: store.state(), behind: store.behind };
};

/** The chats of this tab: the one that is shown, and those whose answers are under way or not yet saved. */
export class TabChats {
  #stores: ChatStore[];
  readonly removed = new Set<string>();
  readonly #listeners = new Set<() => void>();
  /** What is being typed in chats that are not shown, by their ids. */
  readonly #typed = new Map<string, Typed>();

  constructor(readonly userId: number) {
    const kept = takeChats(userId);
    this.#stores = kept.map(({ state, ...rest }) => new ChatStore({ ...rest, ...state }));
    for (const [index, { behind }] of kept.entries()) if (behind) this.#stores[index]!.catchUp();
    if (this.#stores.length === 0) this.#stores = [emptyChat()];
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
    if (store.typed === nothingTyped) store.keepTyped(this.#typed.get(typedFor(store)) ?? nothingTyped);
    this.#typed.delete(typedFor(store));
    // What is saved is asked for again: it may have been gone on with elsewhere.
    this.#stores = [store, ...this.#stores.filter((other) => other !== store && other.behind)];
    for (const listener of this.#listeners) listener();
  }

  start(start: Start): void {
    this.show(emptyChat(start));
  }

  remove(id: string): void {
    const store = this.find(id);
    this.removed.add(id);
    store?.end();
    if (store === this.current()) this.start(newLike(store));
    this.#stores = this.#stores.filter((other) => other !== store);
  }

  /** What would be lost with the page; the one that is shown first, of which an empty one is kept as well. */
  keep(): void {
    const current = this.current();
    const some = this.#stores.filter((store) => store.behind || (store === current && store.isEmpty));
    if (some.length > 0) keepChats(this.userId, some.map(keptOf));
    else forgetChats();
  }

  /** What was refused because the session had ended, or there was no room, may be taken now. */
  retry(): void {
    for (const store of this.#stores) if (store.shown().fault) store.saveNow();
  }

  /** An answer that was under way ends a moment later, and must not write down again what was forgotten. */
  forget(): void {
    for (const store of this.#stores) store.end();
    forgetChats();
  }
}

/** The same models and parameters, and nothing said; what is being typed comes along. */
export function newLike(store: ChatStore): Start {
  const { columns, settings } = store.shown();
  const { typed } = store;
  store.keepTyped(nothingTyped);
  const { orchestration } = settings;
  return {
    typed,
    columns: columns.map(({ model }) => ({ id: newId(), model })),
    // A session belongs to the chat that it was opened for.
    settings: { ...settings, orchestration: { ...orchestration, sessionId: '' } },
  };
}

let tab: TabChats | null = null;

/** The chats of this tab, as far as they are this user's. */
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
  // What has come of answers so far is kept through a reload.
  window.addEventListener('pagehide', () => tab?.keep());
  // A phone ends what is out of sight without a word.
  document.addEventListener('visibilitychange', () => document.hidden && tab?.keep());
  // Logging in again happens in another tab.
  window.addEventListener('focus', () => tab?.retry());
}
