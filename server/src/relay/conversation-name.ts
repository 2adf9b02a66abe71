import type { ConversationName } from '../routing/affinity.ts';
import type { RequestContext } from './deps.ts';
import type { Conversation, Part } from './wire/conversation.ts';

/**
 * Identifies a conversation by what the client sends (`prompt_cache_key`, OpenRouter's `session_id`, or its session
 * header), else by how it begins: the beginning stays the same as the conversation grows, and vendors' prompt caches key
 * on it too.
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
    const { prompt_cache_key, session_id } = this.conversation.source?.body ?? {};
    for (const key of [prompt_cache_key, session_id]) if (typeof key === 'string' && key !== '') return key;
    return this.context.session;
  }

  #beginning(): string {
    let hash = 0n;
    for (const { text } of this.conversation.system) hash = hashed(text, hash);
    const first = this.conversation.turns.find(({ role }) => role === 'user');
    for (const part of first?.parts ?? []) hash = hashed(textOf(part), hash);
    return hash.toString(36);
  }
}

/** Not used for secrets: a collision only makes two conversations of one user share a routing affinity. */
const hashed = (text: string, seed: bigint): bigint => Bun.hash.wyhash(text, seed);

const textOf = (part: Part): string => (part.type === 'text' ? part.text : part.type);
