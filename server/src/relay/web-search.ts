import { paysSearches } from '../lib/money.ts';
import type { Candidate } from '../routing/candidate.ts';
import { targetOf } from './dispatch.ts';
import { kindFor } from './kind-for.ts';
import { searchUnsupported } from './providers/kind/foreign-tools.ts';
import type { ProviderKind } from './providers/kind.ts';
import { noClientHeaders } from './request-context.ts';
import type { Conversation } from './wire/conversation.ts';
import { withoutSearch } from './wire/web-search.ts';

/**
 * Whether a candidate may be asked for the search of a conversation as it is: its vendor runs it, in its own words or in those
 * that the request came in, and it has a price where the model has one. What an operator says of a model stands above what is
 * known of its vendor.
 */
function searches(candidate: Candidate, conversation: Conversation, kind: ProviderKind): boolean {
  const { price, capabilities } = candidate;
  if (kind.neverSearches || capabilities.web_search === false || !paysSearches(price)) return false;
  if (conversation.source?.format === kind.wire) return true;
  return kind.searches?.(conversation, targetOf(candidate, { clientHeaders: noClientHeaders })) === true;
}

/** Whoever searches goes before those that do not. Undefined where nobody asks for it. */
export const prefersSearch = (conversation: Conversation): ((candidate: Candidate) => boolean) | undefined =>
  conversation.params.webSearch ? searching(conversation) : undefined;

const searching =
  (conversation: Conversation) =>
  (candidate: Candidate): boolean => {
    const kind = kindFor(candidate, conversation);
    // Chats are spoken by many who take any setting, and do not heed it.
    const asked = kind.wire === 'chat' ? { ...conversation, source: undefined } : conversation;
    return searches(candidate, asked, kind);
  };

/** Stands among other tools, and nobody has chosen it: coding agents offer it with every request, and most end without it. */
function isMereOffer({ params: { webSearch, tools = [], toolChoice, rawToolChoice } }: Conversation): boolean {
  return (
    webSearch?.offered === true &&
    tools.length > 0 &&
    rawToolChoice === undefined &&
    (toolChoice === undefined || toolChoice.type === 'auto' || toolChoice.type === 'none')
  );
}

/** Without an offer of a search that nobody here can keep; any other is for whoever is asked to refuse, by its name. */
export function withoutOffer<C extends Conversation>(conversation: C): C {
  if (!isMereOffer(conversation)) return conversation;
  const { webSearch: _, ...params } = conversation.params;
  const { source } = conversation;
  return {
    ...conversation,
    params,
    ...(source && { source: { ...source, body: withoutSearch(source.format, source.body) } }),
  };
}

/** The conversation as a candidate is asked it. */
export function forCandidate(candidate: Candidate, conversation: Conversation, kind: ProviderKind): Conversation {
  const { webSearch } = conversation.params;
  if (!webSearch || searches(candidate, conversation, kind)) return conversation;
  const without = withoutOffer(conversation);
  // Its own format has words for what has no price.
  if (without !== conversation || (conversation.source?.format === kind.wire && !paysSearches(candidate.price)))
    return without;
  throw searchUnsupported(webSearch);
}

/** Whether an answer was made without the search that was asked for; its client is told by a header. */
export const leavesSearchOut = (asked: Conversation, given: Conversation): boolean =>
  asked.params.webSearch !== undefined && given.params.webSearch === undefined;

export const searchLeftOut = ['x-svc-left-out', 'web_search'] as const;
