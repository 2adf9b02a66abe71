import type { Call, Grow } from '../../platform/http/route.ts';
import type { Seals } from '../wire/responses/thoughts.ts';

/** An item of a Responses conversation in its public form. */
export type Item = Record<string, unknown>;

/** A response in its public form: `id`, `object: "response"`, `status`, `output`, `usage` and so on. */
export type ResponseObject = Record<string, unknown> & { id: string; status: string; output: Item[] };

/** The owner: one key's data is invisible to other keys of the user. */
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
  /** Number of the last known event; -1 for none. */
  after: number;
  /** As in the request that reads it. */
  include: readonly string[];
}

/** Stored responses, for requests that build on them. */
export interface ResponseKeeper {
  /** All items before the request's own, oldest first. 404 if it has expired, or is another owner's. */
  before(owner: Owner, named: Before, grow?: Grow): Promise<Item[]>;
  /** A stored item, for `item_reference`; null if this owner has none of that id. */
  item(owner: Owner, id: string): Promise<Item | null>;
  /**
   * Called once per finished response, before its last event is sent; `input` is the request's own. Returns the
   * response's JSON, if it was stored.
   */
  keep(owner: Owner, ended: { response: ResponseObject; input: Item[]; named: Before }): Promise<string | null>;
  /** `background: true`: stored as `queued` and processed by any process, across restarts. */
  enqueue(owner: Owner, queued: { response: ResponseObject; input: Item[]; named: Before; body: Item }): Promise<void>;
  /** Streams a background response's events, to its end or until `signal`, whichever process produces them. */
  follow(followed: Followed, signal: AbortSignal, write: (text: string) => unknown): Promise<void>;
  /** Throws once the caller of such a stream has lost access. */
  recheckCaller(call: Call): unknown;
  /** How reasoning is encrypted for this owner's client. */
  seals(owner: Owner): Seals;
  /** False if the operator disabled storage. */
  keeps(): boolean;
  /** Whether there is room for more; throws if it is `needed` and there is none. */
  hasRoom(owner: Owner, needed: boolean): Promise<boolean>;
  /** Refuses input beyond the limits (400, 413). Called before a model, since a paid answer must be storable. */
  admit(input: Item[]): void;
  /**
   * A request's input as a model should read it: `compaction` items become messages. `before` and `item` already return
   * it so.
   */
  expand(owner: Owner, items: Item[]): Item[];
}
