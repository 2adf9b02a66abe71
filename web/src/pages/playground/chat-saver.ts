import { ApiError, get, put } from '../../api.ts';
import { queryClient } from '../../session.ts';
import { type Content, fitting } from './chat-content.ts';

/** As the service has it: more is refused, and pictures go before that. */
const mostBytes = 2 * 1024 * 1024;
/** Answers of several models end at about the same time, and settings change with every letter. */
const restMs = 400;
const retryMs = 5_000;

export const chatsKey = ['playground-chats'];

interface Owner {
  id(): string;
  /** What is to be kept; null while there is nothing. */
  content(): Content | null;
  /** Saved under this name, or not saved for this reason. */
  told(name: string, fault: Error | null): void;
  /** Somebody else has saved or deleted it meanwhile: what is here goes on under an id of its own. */
  moved(): void;
}

export interface LastSave {
  /** What the service has; 0 for nothing. */
  version: number;
  /** Entries of what was sent last: whether it arrived is not always heard, least of all by a page that is loaded again. */
  sent: string;
}

/** Of the API what is needed here. */
const service = {
  save: (id: string, version: number, content: Content): Promise<{ version: number; name: string }> =>
    put('/api/playground/chats/{chat_id}', { path: { chat_id: id }, body: { version, content } }),
  load: (id: string): Promise<{ version: number; content: Content }> =>
    get('/api/playground/chats/{chat_id}', { path: { chat_id: id } }),
};

const statusOf = (error: unknown): number => (error instanceof ApiError ? error.status : 0);
/** The same may well succeed a moment later. */
const mayPass = (status: number): boolean => status === 0 || status === 429 || status >= 500;

/** Keeps a chat on the service in step with what is here: one save at a time, each of the latest. */
export class ChatSaver {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #saving = false;
  #ended = false;
  /** How often it was changed, and at which of these the service has it. */
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

  /** Whether the service has not yet all that is here. */
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
        // Ours arrived before, and only its answer did not: then it is the latest all the same.
        const theirs = statusOf(error) === 409 ? await this.calls.load(id) : null;
        if (!theirs || idsOf(theirs.content) !== before) throw error;
        return this.calls.save(id, theirs.version, content);
      });
      if (this.#ended) return;
      this.#version = version;
      this.owner.told(name, null);
      void queryClient.invalidateQueries({ queryKey: chatsKey });
    } catch (error) {
      // Nobody else has the id that it was moved to: refused once more, it is for another reason.
      if (![404, 409].includes(statusOf(error)) || this.#ended || moved) throw error;
      this.#version = 0;
      this.owner.moved();
      await this.#send(content, true);
    }
  }
}

const idsOf = ({ entries }: Content): string => entries.map(({ id }) => id).join(' ');
