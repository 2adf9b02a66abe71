import { paysSearches } from '../lib/money.ts';
import type { Candidate } from '../routing/candidate.ts';
import { targetOf } from './dispatch.ts';
import { providerKindFor } from './provider-kind-for.ts';
import { searchUnsupported } from './providers/kind/foreign-tools.ts';
import type { ProviderKind } from './providers/kind.ts';
import { noClientHeaders } from './request-context.ts';
import type { Conversation } from './wire/conversation.ts';
import { withoutSearch } from './wire/web-search.ts';

/**
 * Whether a candidate can run the conversation's web search: its vendor supports it, in its own format or the
 * request's, and the model has a price for it if it is priced at all. The operator's settings override what is known of
 * the vendor.
 */
function searches(candidate: Candidate, conversation: Conversation, kind: ProviderKind): boolean {
  const { price, capabilities } = candidate;
  if (kind.neverSearches || capabilities.web_search === false || !paysSearches(price)) return false;
  if (conversation.source?.format === kind.wire) return true;
  return kind.searches?.(conversation, targetOf(candidate, { clientHeaders: noClientHeaders })) === true;
}

/** Prefers candidates that search. Undefined if no search is asked for. */
export const prefersSearch = (conversation: Conversation): ((candidate: Candidate) => boolean) | undefined =>
  conversation.params.webSearch ? searching(conversation) : undefined;

const searching =
  (conversation: Conversation) =>
  (candidate: Candidate): boolean => {
    const kind = providerKindFor(candidate, conversation);
    // Many chat upstreams accept any setting and ignore it, so the original body does not count.
    const asked = kind.wire === 'chat' ? { ...conversation, source: undefined } : conversation;
    return searches(candidate, asked, kind);
  };

/** One tool among others that was not chosen: coding agents offer a search with every request, and rarely use it. */
function isMereOffer({ params: { webSearch, tools = [], toolChoice, rawToolChoice } }: Conversation): boolean {
  return (
    webSearch?.offered === true &&
    tools.length > 0 &&
    rawToolChoice === undefined &&
    (toolChoice === undefined || toolChoice.type === 'auto' || toolChoice.type === 'none')
  );
}

/**
 * Drops the offer of a search that no candidate can run; any other search is left for the upstream to refuse by name.
 */
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

/** The conversation as it is sent to a candidate. */
export function forCandidate(candidate: Candidate, conversation: Conversation, kind: ProviderKind): Conversation {
  const { webSearch } = conversation.params;
  if (!webSearch || searches(candidate, conversation, kind)) return conversation;
  const without = withoutOffer(conversation);
  // A body in the vendor's own format is forwarded as it is if the model needs no price for searches.
  if (without !== conversation || (conversation.source?.format === kind.wire && !paysSearches(candidate.price)))
    return without;
  throw searchUnsupported(webSearch);
}

/** Whether the answer was made without the search that was asked for; the client is told by a header. */
export const leavesSearchOut = (asked: Conversation, given: Conversation): boolean =>
  asked.params.webSearch !== undefined && given.params.webSearch === undefined;

export const searchLeftOut = ['x-svc-left-out', 'web_search'] as const;
