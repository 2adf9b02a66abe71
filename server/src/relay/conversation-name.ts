import type { ConversationName } from '../routing/affinity.ts';
import type { RequestContext } from './deps.ts';
import type { Conversation, Part } from './wire/conversation.ts';

/**
 * By what a client says itself (`prompt_cache_key`, else the session in its headers), else by how the conversation begins:
 * that stays the same however long it gets, and is what a vendor's cache begins with too.
 */
export class NamedConversation implements ConversationName {
  constructor(
    readonly context: Pick<RequestContext, 'session'>,
    readonly conversation: Pick<Conversation, 'system' | 'turns' | 'source'>,
  ) {}

  get begun(): boolean {
    return this.#given() !== undefined || this.conversation.turns.some(({ role }) => role === 'assistant');
  }

  key(): string {
    const given = this.#given();
    return given === undefined ? `b${this.#beginning()}` : `s${hashed(given, 0n).toString(36)}`;
  }

  #given(): string | undefined {
    const key = this.conversation.source?.body.prompt_cache_key;
    return typeof key === 'string' && key !== '' ? key : this.context.session;
  }

  #beginning(): string {
    let hash = 0n;
    for (const { text } of this.conversation.system) hash = hashed(text, hash);
    const first = this.conversation.turns.find(({ role }) => role === 'user');
    for (const part of first?.parts ?? []) hash = hashed(textOf(part), hash);
    return hash.toString(36);
  }
}

/** Not for secrets: two conversations that meet in it only share a place in line, and both are of the same user. */
const hashed = (text: string, seed: bigint): bigint => Bun.hash.wyhash(text, seed);

const textOf = (part: Part): string => (part.type === 'text' ? part.text : part.type);
