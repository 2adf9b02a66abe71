import { ApiError, get, put } from '../../api.ts';
import { queryClient } from '../../session.ts';
import { type Content, fitting } from './chat-content.ts';

/** The service's limit; larger chats are rejected, so images are dropped first. */
const mostBytes = 2 * 1024 * 1024;
/** Debounces saves: answers of several models end at about the same time, and settings change with every keystroke. */
const restMs = 400;
const retryMs = 5_000;

export const chatsKey = ['playground-chats'];

interface Owner {
  id(): string;
  /** The content to save; null while the chat is empty. */
  content(): Content | null;
  /** Reports the name under which the chat was saved, or the error. */
  told(name: string, fault: Error | null): void;
  /** The chat was saved or deleted elsewhere in the meantime: continue this copy under a new id. */
  moved(): void;
}

export interface LastSave {
  /** The version stored by the service; 0 if there is none. */
  version: number;
  /**
   * Entry ids of the last save. Its response may be lost, for example in a reload, so it is unknown whether the save
   * arrived.
   */
  sent: string;
}

/** The API calls used here. */
const service = {
  save: (id: string, version: number, content: Content): Promise<{ version: number; name: string }> =>
    put('/api/playground/chats/{chat_id}', { path: { chat_id: id }, body: { version, content } }),
  load: (id: string): Promise<{ version: number; content: Content }> =>
    get('/api/playground/chats/{chat_id}', { path: { chat_id: id } }),
};

const statusOf = (error: unknown): number => (error instanceof ApiError ? error.status : 0);
/** Whether a retry may succeed. */
const mayPass = (status: number): boolean => status === 0 || status === 429 || status >= 500;

/** Saves a chat to the service: one request at a time, always with the latest content. */
export class ChatSaver {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #saving = false;
  #ended = false;
  /** Number of changes so far, and the number at the last successful save. */
  #changes = 0;
  #saved = 0;
  #version: number;
  #sent: string;

  constructor(
    readonly owner: Owner,
    { version, sent }: LastSave,
    readonly calls = service,
  ) {
    this.#version = version;
    this.#sent = sent;
  }

  get last(): LastSave {
    return { version: this.#version, sent: this.#sent };
  }

  /** Whether there are unsaved changes. */
  get behind(): boolean {
    return this.#changes !== this.#saved;
  }

  changed(): void {
    this.#changes += 1;
    this.#schedule(restMs);
  }

  now(): void {
    this.#schedule(0);
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#ended && !this.#saving) this.#timer = setTimeout(() => void this.#save(), ms);
  }

  async #save(): Promise<void> {
    const changes = this.#changes;
    const content = this.owner.content();
    let retry = false;
    this.#saving = true;
    try {
      if (content) await this.#send(fitting(content, mostBytes));
      this.#saved = changes;
    } catch (error) {
      retry = mayPass(statusOf(error));
      if (!this.#ended) this.owner.told('', error as Error);
    }
    this.#saving = false;
    if (this.#changes !== changes) this.#schedule(restMs);
    else if (retry) this.#schedule(retryMs);
  }

  async #send(content: Content, moved = false): Promise<void> {
    const id = this.owner.id();
    const before = this.#sent;
    this.#sent = idsOf(content);
    try {
      const { version, name } = await this.calls.save(id, this.#version, content).catch(async (error) => {
        // If the stored version is our previous save, whose response was lost, overwrite it.
        const theirs = statusOf(error) === 409 ? await this.calls.load(id) : null;
        if (!theirs || idsOf(theirs.content) !== before) throw error;
        return this.calls.save(id, theirs.version, content);
      });
      if (this.#ended) return;
      this.#version = version;
      this.owner.told(name, null);
      void queryClient.invalidateQueries({ queryKey: chatsKey });
    } catch (error) {
      // The new id is not used by anyone else, so a second rejection has another reason.
      if (![404, 409].includes(statusOf(error)) || this.#ended || moved) throw error;
      this.#version = 0;
      this.owner.moved();
      await this.#send(content, true);
    }
  }
}

const idsOf = ({ entries }: Content): string => entries.map(({ id }) => id).join(' ');
