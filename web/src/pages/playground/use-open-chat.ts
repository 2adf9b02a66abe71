import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { ApiError, get } from '../../api.ts';
import { useUser } from '../../session.ts';
import { useUrlState } from '../../use-url-state.ts';
import { unpacked } from './chat-content.ts';
import { ChatStore, type Shown } from './chat-store.ts';
import { sessionOf } from './conversation.ts';
import { newId } from './new-id.ts';
import { defaultSettings, type Settings } from './settings.ts';
import { chatsOf, newLike, type TabChats } from './tab-chats.ts';

/** `model` and `session` start a new chat; `chat` is the id of the open one. */
const urlDefaults = { chat: '', model: '', session: '' };

/** Continues the session given in the URL. */
const startSettings = (sessionId: string): Settings =>
  sessionId === ''
    ? defaultSettings
    : { ...defaultSettings, orchestration: { ...defaultSettings.orchestration, sessionId } };

function startBy(tab: TabChats, model: string, session: string): void {
  // Start a new chat unless this one belongs to the session: messages must not leak into another session.
  if (session !== '' && sessionOf(tab.current().shown().entries) === session) return;
  tab.start({ columns: [{ id: newId(), model }], settings: startSettings(session) });
}

interface Loading {
  id: string;
  error: unknown;
}

/** Loads a chat that is not held by this tab. */
function useLoad(tab: TabChats) {
  const [loading, setLoading] = useState<Loading | null>(null);
  const running = useRef<AbortController>(null);
  const cancel = () => {
    running.current?.abort();
    running.current = null;
    setLoading(null);
  };
  const load = (id: string) => {
    cancel();
    const found = tab.find(id);
    if (found) {
      tab.show(found);
      return;
    }
    const controller = new AbortController();
    running.current = controller;
    setLoading({ id, error: null });
    get('/api/playground/chats/{chat_id}', { path: { chat_id: id }, signal: controller.signal }).then(
      ({ content, name, version }) => {
        if (controller.signal.aborted) return;
        cancel();
        tab.show(new ChatStore({ id, name, last: { version, sent: '' }, ...unpacked(content) }));
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        // The back button must not lead here again.
        if (error instanceof ApiError && error.status === 404) tab.removed.add(id);
        setLoading({ id, error });
      },
    );
  };
  useEffect(() => () => running.current?.abort(), []);
  return { loading, load, cancel };
}

export interface OpenChat {
  tab: TabChats;
  store: ChatStore;
  shown: Shown;
  /** The chat named in the URL, while it is loading or if it cannot be loaded. */
  loading: Loading | null;
  load: (id: string) => void;
  open: (id: string) => void;
  startNew: () => void;
}

/**
 * The open chat, kept in sync with the URL. Whichever changed wins: a new URL opens its chat, and a chat that was
 * started, deleted or saved under a new id updates the URL.
 */
export function useOpenChat(): OpenChat {
  const tab = chatsOf(useUser().id);
  const [url, setUrl] = useUrlState(urlDefaults);
  const store = useSyncExternalStore(tab.subscribe, tab.current);
  const shown = useSyncExternalStore(store.subscribe, store.shown);
  const { loading, load, cancel } = useLoad(tab);
  const mine = shown.entries.length === 0 ? '' : shown.id;
  const begun = url.model === '' && url.session === '' ? '' : `${url.model} ${url.session}`;
  const seen = useRef({ chat: '', begun: '', store });
  // biome-ignore lint/correctness/useExhaustiveDependencies: must run only when the URL or the chat has changed
  useEffect(() => {
    const before = seen.current;
    seen.current = { chat: url.chat, begun, store };
    if (begun !== '') {
      if (begun === before.begun) return;
      cancel();
      startBy(tab, url.model, url.session);
      setUrl(urlDefaults);
      return;
    }
    if (url.chat !== '' && url.chat !== before.chat && url.chat !== mine) {
      load(url.chat);
      return;
    }
    const changed = store !== before.store;
    if (url.chat === mine || (loading !== null && !changed)) return;
    cancel();
    // From a new chat the back button leads to the previous one, unless that was deleted.
    setUrl({ chat: mine }, changed && mine === '' && !tab.removed.has(url.chat) ? 'push' : 'replace');
  }, [url.chat, begun, mine, store]);
  return {
    ...{ tab, store, shown, load },
    loading: begun === '' && loading?.id === url.chat ? loading : null,
    open: (id) => setUrl({ chat: id }, 'push'),
    startNew: () => tab.start(newLike(store)),
  };
}
