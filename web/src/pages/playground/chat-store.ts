import { ask, costOf } from './ask.ts';
import { type ChatState, packed } from './chat-content.ts';
import { ChatSaver, type LastSave } from './chat-saver.ts';
import { type AnswerEntry, type Entry, entriesOf, newAnswer, openCalls } from './conversation.ts';
import { before, forColumn, withoutAnswer, withoutColumn } from './edit-entries.ts';
import { newId } from './new-id.ts';
import { isUnloading } from './page-unload.ts';
import { requestOf, type Settings } from './settings.ts';
import { throttledRender } from './throttled-render.ts';

export interface Shown extends ChatState {
  id: string;
  /** Empty until the chat is saved for the first time. */
  name: string;
  busy: boolean;
  /** Why the last save failed. */
  fault: Error | null;
  /** The former id, if the chat continues under a new one because it was changed elsewhere. */
  movedFrom: string | null;
}

interface Start extends ChatState {
  id: string;
  name?: string;
  last?: LastSave;
}

/** Input that is not sent yet. */
export interface Typed {
  text: string;
  images: string[];
  /** Changed messages and results of tools, in fields of the conversation. */
  inner?: Record<string, string>;
}
export const nothingTyped: Typed = { text: '', images: [] };

const isNothing = ({ text, images, inner = {} }: Typed): boolean =>
  text === '' && images.length === 0 && Object.keys(inner).length === 0;

/** A chat that lives independently of its page: leaving the page does not stop the answers. */
export class ChatStore {
  #shown: Shown;
  readonly #running = new Map<string, AbortController>();
  /** The latest state of running answers, which is ahead of what is rendered. */
  readonly #latest = new Map<string, AnswerEntry>();
  readonly #listeners = new Set<() => void>();
  readonly #saver: ChatSaver;
  readonly #paint = throttledRender(() => this.#show({}));
  /** Does not change when the chat continues under another id. */
  readonly key = newId();
  /** Unsent input, kept while another chat or page is open. */
  typed = nothingTyped;

  constructor({ id, name = '', last = { version: 0, sent: '' }, columns, settings, entries }: Start) {
    this.#shown = { id, name, columns, settings, entries, busy: false, fault: null, movedFrom: null };
    this.#saver = new ChatSaver(
      {
        id: () => this.#shown.id,
        content: () => (this.isEmpty ? null : packed(this.state())),
        told: (saved, fault) => this.#show({ fault, ...(saved && { name: saved }) }),
        moved: () => this.#show({ id: newId(), movedFrom: this.#shown.id }),
      },
      last,
    );
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  shown = (): Shown => this.#shown;

  state = (): ChatState => {
    const { columns, settings, entries } = this.#shown;
    return { columns, settings, entries: entries.map((entry) => this.#latest.get(entry.id) ?? entry) };
  };

  get isEmpty(): boolean {
    return this.#shown.entries.length === 0;
  }

  get last(): LastSave {
    return this.#saver.last;
  }

  /** Whether leaving the page would lose data. */
  get behind(): boolean {
    return this.#shown.busy || this.#saver.behind;
  }

  keepTyped = (changes: Partial<Typed>): void => {
    const typed = { ...this.typed, ...changes };
    this.typed = isNothing(typed) ? nothingTyped : typed;
  };

  typedIn = (field: string): string | undefined => this.typed.inner?.[field];

  /** The text of a field of the conversation; null when it was sent or cancelled. */
  keepTypedIn = (field: string, text: string | null): void => {
    const { [field]: _, ...others } = this.typed.inner ?? {};
    this.keepTyped({ inner: text === null ? others : { ...others, [field]: text } });
  };

  /** Sends a message to every model. */
  send(content: string, images: string[]): void {
    this.#askAll([...this.#shown.entries, { id: newId(), role: 'user', content, images }]);
  }

  /** Replaces a message; everything after it is removed. */
  edit = (id: string, content: string): void => {
    const said = this.#shown.entries.find((entry) => entry.id === id);
    if (said?.role === 'user') this.#askAll([...before(this.#shown.entries, id), { ...said, content }]);
  };

  /** Requests this answer again; everything after it is removed. */
  regenerate = (id: string): void => {
    const answer = this.#shown.entries.find((entry) => entry.id === id);
    if (answer?.role !== 'assistant') return;
    this.stop(answer.column);
    this.#change({ entries: withoutAnswer(this.#shown.entries, answer) });
    void this.#ask(answer.column);
  };

  /** Sends the results of the pending tool calls, by call id. */
  sendResults(column: string, results: Record<string, string>): void {
    const calls = openCalls(entriesOf(this.#shown.entries, column));
    const tools = calls.map(
      ({ id, name }): Entry => ({
        ...{ id: newId(), role: 'tool', column, toolCallId: id, name },
        content: results[id] ?? '',
      }),
    );
    this.#change({ entries: [...this.#shown.entries, ...tools] });
    void this.#ask(column);
  }

  stop = (column: string): void => this.#running.get(column)?.abort();

  stopAll = (): void => {
    for (const controller of this.#running.values()) controller.abort();
  };

  changeSettings = (settings: Settings): void => this.#change({ settings });

  choose(column: string, model: string): void {
    if (this.#shown.columns.some((one) => one.id === column && one.model === model)) return;
    this.#change({ columns: this.#shown.columns.map((one) => (one.id === column ? { ...one, model } : one)) });
  }

  /** The new column starts with a copy of the first column's history. */
  addColumn(model: string): void {
    const { columns, entries } = this.#shown;
    const id = newId();
    this.#change({ columns: [...columns, { id, model }], entries: forColumn(entries, columns[0]!.id, id, newId) });
  }

  removeColumn(id: string): void {
    this.stop(id);
    const { columns, entries } = this.#shown;
    this.#change({ columns: columns.filter((one) => one.id !== id), entries: withoutColumn(entries, id) });
  }

  rename(name: string): void {
    this.#show({ name });
  }

  /** The page has handled the change of id. */
  settle(): void {
    this.#show({ movedFrom: null });
  }

  saveNow(): void {
    this.#saver.now();
  }

  /** Saves again after a reload that restored unsaved changes. */
  catchUp(): void {
    this.#saver.changed();
  }

  /** The chat was deleted or its user logged out: stop saving it. */
  end(): void {
    this.#saver.end();
    this.stopAll();
  }

  #askAll(entries: Entry[]): void {
    this.stopAll();
    this.#change({ entries });
    for (const { id } of this.#shown.columns) void this.#ask(id);
  }

  async #ask(columnId: string): Promise<void> {
    const column = this.#shown.columns.find(({ id }) => id === columnId);
    if (!column) return;
    const controller = new AbortController();
    this.#running.set(column.id, controller);
    const startedAt = Math.floor(Date.now() / 1000);
    const history = entriesOf(this.#shown.entries, column.id);
    let current = newAnswer(newId(), column, requestOf(column.model, history, this.#shown.settings));
    this.#change({ entries: [...this.#shown.entries, current] });
    try {
      current = await ask(current, controller.signal, (answer) => {
        current = answer;
        this.#latest.set(answer.id, answer);
        this.#paint();
      });
    } catch (error) {
      const failed = { state: 'failed', error: error as Error } as const;
      current = { ...current, ...(controller.signal.aborted || isUnloading() ? { state: 'stopped' } : failed) };
    }
    this.#latest.delete(current.id);
    if (this.#running.get(column.id) === controller) this.#running.delete(column.id);
    this.#replace(current);
    if (current.stats.cost !== undefined || current.stats.requestId === undefined) return;
    const cost = await costOf(current, startedAt).catch(() => undefined);
    if (cost !== undefined) this.#replace({ ...current, stats: { ...current.stats, cost } });
  }

  #replace(answer: AnswerEntry): void {
    this.#change({ entries: this.#shown.entries.map((entry) => (entry.id === answer.id ? answer : entry)) });
  }

  #change(changes: Partial<ChatState>): void {
    this.#show(changes);
    this.#saver.changed();
  }

  #show(changes: Partial<Shown>): void {
    const { entries, ...rest } = { ...this.#shown, ...changes };
    this.#shown = {
      ...rest,
      entries: this.#latest.size === 0 ? entries : entries.map((entry) => this.#latest.get(entry.id) ?? entry),
      busy: this.#running.size > 0,
    };
    for (const listener of this.#listeners) listener();
  }
}
