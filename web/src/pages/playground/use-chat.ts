import { useCallback, useEffect, useRef, useState } from 'react';
import { queryClient } from '../../session.ts';
import { ask, costOf } from './ask.ts';
import {
  type AnswerEntry,
  type Entry,
  isRunning,
  newAnswer,
  openCalls,
  sessionOf,
  type ToolEntry,
} from './conversation.ts';
import { requestOf, type Settings } from './settings.ts';

const newId = (): string => crypto.randomUUID();

/** Each chunk re-reads the whole text as Markdown: at most this often. */
const paintEveryMs = 50;

// In the query cache, so that going to another page keeps the conversation and logging out forgets it.
const kept = ['playground', 'entries'];

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
function keptEntries(session: string): Entry[] {
  const entries = queryClient.getQueryData<Entry[]>(kept) ?? [];
  return session !== '' && sessionOf(entries) !== session ? [] : entries;
}

export function useChat(model: string, settings: Settings, session = ''): Chat {
  const [entries, setEntries] = useState<Entry[]>(() => keptEntries(session));
  const running = useRef<AbortController | null>(null);
  const [busy, setBusy] = useState(false);

  const replace = useCallback((answer: AnswerEntry) => {
    setEntries((before) => before.map((entry) => (entry.id === answer.id ? answer : entry)));
  }, []);

  const run = useCallback(
    async (history: Entry[]) => {
      running.current?.abort();
      const controller = new AbortController();
      running.current = controller;
      const startedAt = Math.floor(Date.now() / 1000);
      let current = newAnswer(newId(), model, requestOf(model, history, settings));
      let painted = 0;
      setEntries([...history, current]);
      setBusy(true);
      try {
        const tell = (answer: AnswerEntry) => {
          current = answer;
          if (performance.now() - painted < paintEveryMs) return;
          painted = performance.now();
          replace(answer);
        };
        current = await ask(current, controller.signal, tell);
      } catch (error) {
        const failed = { state: 'failed', error: error as Error } as const;
        current = { ...current, ...(controller.signal.aborted ? { state: 'stopped' } : failed) };
      }
      replace(current);
      if (running.current === controller) {
        running.current = null;
        setBusy(false);
      }
      if (current.stats.cost !== undefined || current.stats.requestId === undefined) return;
      const cost = await costOf(current, startedAt).catch(() => undefined);
      if (cost !== undefined) replace({ ...current, stats: { ...current.stats, cost } });
    },
    [model, settings, replace],
  );

  useEffect(() => {
    queryClient.setQueryDefaults(kept, { gcTime: Number.POSITIVE_INFINITY });
    queryClient.setQueryData<Entry[]>(
      kept,
      entries.map((entry) => (entry.role === 'assistant' && isRunning(entry) ? { ...entry, state: 'stopped' } : entry)),
    );
  }, [entries]);
  useEffect(() => () => running.current?.abort(), []);

  const before = (id: string): Entry[] =>
    entries.slice(
      0,
      entries.findIndex((entry) => entry.id === id),
    );
  return {
    entries,
    busy,
    send: (text, images) => void run([...entries, { id: newId(), role: 'user', content: text, images }]),
    sendResults: (results) => {
      const tools = openCalls(entries).map(
        ({ id, name }): ToolEntry => ({ id: newId(), role: 'tool', toolCallId: id, name, content: results[id] ?? '' }),
      );
      void run([...entries, ...tools]);
    },
    stop: () => running.current?.abort(),
    regenerate: (id) => void run(before(id)),
    edit: (id, text) => {
      const said = entries.find((entry) => entry.id === id);
      if (said?.role === 'user') void run([...before(id), { ...said, content: text }]);
    },
    clear: () => {
      running.current?.abort();
      setEntries([]);
    },
  };
}
