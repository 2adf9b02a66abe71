import { mergeBetas, messagesBodyOf, searchesAsClaude } from '../anthropic/request.ts';
import { type Betas, betasKnown, toReseller } from '../anthropic/reseller.ts';
import { anthropicKind, countedBody } from '../anthropic.ts';
import type { ProviderKind, Target, UpstreamRequest } from '../kind.ts';
import { asked, asStream, modelAt } from './address.ts';

const version = { anthropic_version: 'vertex-2023-10-16' };

const searching = 'web-search-2025-03-05';

/** Betas that Google supports; for token counting, web search is not among them. */
const betas: Betas = {
  'compact-2026-01-12': /^/,
  'computer-use-2025-01-24': /^/,
  'computer-use-2025-11-24': /^/,
  'context-1m-2025-08-07': /^/,
  'context-management-2025-06-27': /^/,
  'interleaved-thinking-2025-05-14': /^/,
  'tool-search-tool-2025-10-19': /^/,
};

/** Sent in the header, as with Anthropic's API; here web search is a beta. */
function withBetas(request: UpstreamRequest, target: Target, searches = false): UpstreamRequest {
  const named = mergeBetas(...betasKnown(betas, target), searches ? searching : undefined);
  return named === '' ? request : { ...request, headers: { ...request.headers, 'anthropic-beta': named } };
}

/** Anthropic's models at Google: the same messages, with the model in the URL and the version in the body. */
export const vertexClaude: ProviderKind = {
  ...anthropicKind,
  name: 'vertex',
  searches: searchesAsClaude,
  toUpstream(conversation, target) {
    const { model: _, ...body } = toReseller(messagesBodyOf(conversation, target));
    const method = conversation.stream ? ':streamRawPredict' : ':rawPredict';
    const request = asked(target, `${modelAt(target, 'anthropic')}${method}`, { ...version, ...body });
    return asStream(withBetas(request, target, conversation.params.webSearch !== undefined), conversation.stream);
  },
  countTokens: {
    ...anthropicKind.countTokens!,
    toUpstream(conversation, target) {
      const url = `${modelAt(target, 'anthropic', 'count-tokens')}:rawPredict`;
      return withBetas(asked(target, url, { ...version, ...toReseller(countedBody(conversation, target)) }), target);
    },
  },
};
