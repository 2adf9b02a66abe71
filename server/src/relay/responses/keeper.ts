import type { Grow } from '../../platform/http/route.ts';
import type { Seals } from '../wire/responses/thoughts.ts';

/** An item of a Responses conversation, as clients send and get it. */
export type Item = Record<string, unknown>;

/** A response as OpenAI's API shows it: `id`, `object: "response"`, `status`, `output`, `usage` and the rest. */
export type ResponseObject = Record<string, unknown> & { id: string; status: string; output: Item[] };

/** Whose it is: what one key keeps, another key of the same user does not see. */
export interface Owner {
  userId: number;
  keyId: number | null;
}

/** What a request builds on. */
export interface Before {
  previousResponseId?: string;
  conversationId?: string;
}

export interface Followed {
  id: string;
  /** The number of the last event that is known; -1 for none. */
  after: number;
  /** As in the request that reads it. */
  include: readonly string[];
}

/** Responses that are kept, for requests that build on them. */
export interface ResponseKeeper {
  /** All items before those of the request, oldest first. 404 where it is not this owner's or has expired. */
  before(owner: Owner, named: Before, grow?: Grow): Promise<Item[]>;
  /** An item that was kept, for `item_reference`; null where this owner has none of that id. */
  item(owner: Owner, id: string): Promise<Item | null>;
  /**
   * Once per response as it ended, before its last event goes out; `input` is what this request itself brought. Returns the
   * response as the text it was written as, if it was.
   */
  keep(owner: Owner, ended: { response: ResponseObject; input: Item[]; named: Before }): Promise<string | null>;
  /** `background: true`: written as `queued` and worked on by whichever process comes to it, through restarts. */
  enqueue(owner: Owner, queued: { response: ResponseObject; input: Item[]; named: Before; body: Item }): Promise<void>;
  /** Hands out the events of a response in the background, to its end or until `signal`, whichever process makes them. */
  follow(followed: Followed, signal: AbortSignal, write: (text: string) => unknown): Promise<void>;
  /** How thoughts travel through this owner's client. */
  seals(owner: Owner): Seals;
  /** False where the operator has nothing kept. */
  keeps(): boolean;
  /** Whether there is room for more; refused where it is `needed` and there is none. */
  hasRoom(owner: Owner, needed: boolean): Promise<boolean>;
  /** Refuses what is more than is kept (400, 413). To be asked before a model is, since an answer that was paid for is kept. */
  admit(input: Item[]): void;
  /** What a request brings, as a model is to read it: `compaction` items become messages. `before` and `item` give such already. */
  expand(owner: Owner, items: Item[]): Item[];
}
