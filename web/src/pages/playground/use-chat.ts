import { useState, useSyncExternalStore } from 'react';
import { useUser } from '../../session.ts';
import { chatOf, newId } from './chat-store.ts';
import { type Entry, openCalls, sessionOf, type ToolEntry } from './conversation.ts';
import { requestOf, type Settings } from './settings.ts';

export interface Chat {
  entries: Entry[];
  busy: boolean;
  send(text: string, images: string[]): void;
  /** Results of the calls that wait, by their ids. */
  sendResults(results: Record<string, string>): void;
  stop(): void;
  /** Asks again for this answer; what came after it goes. */
  regenerate(id: string): void;
  /** Says something else instead; what came after it goes. */
  edit(id: string, text: string): void;
  clear(): void;
}

/** The conversation so far, unless another session is opened: messages of one session must not leak into another. */
function openChat(userId: number, session: string) {
  const store = chatOf(userId);
  if (session !== '' && sessionOf(store.shown().entries) !== session) store.clear();
  return store;
}

export function useChat(model: string, settings: Settings, session = ''): Chat {
  const user = useUser();
  const [store] = useState(() => openChat(user.id, session));
  const { entries, busy } = useSyncExternalStore(store.subscribe, store.shown);
  const run = (history: Entry[]) => void store.run(history, model, requestOf(model, history, settings));
  const before = (id: string): Entry[] =>
    entries.slice(
      0,
      entries.findIndex((entry) => entry.id === id),
    );
  return {
    entries,
    busy,
    send: (text, images) => run([...entries, { id: newId(), role: 'user', content: text, images }]),
    sendResults: (results) => {
      const tools = openCalls(entries).map(
        ({ id, name }): ToolEntry => ({ id: newId(), role: 'tool', toolCallId: id, name, content: results[id] ?? '' }),
      );
      run([...entries, ...tools]);
    },
    stop: () => store.stop(),
    regenerate: (id) => run(before(id)),
    edit: (id, text) => {
      const said = entries.find((entry) => entry.id === id);
      if (said?.role === 'user') run([...before(id), { ...said, content: text }]);
    },
    clear: () => store.clear(),
  };
}
