import type { Conversation } from '../../wire/conversation.ts';
import { mergeBetas, messagesBodyOf, searchesAsClaude } from '../anthropic/request.ts';
import { anthropicKind, countedBody } from '../anthropic.ts';
import type { ProviderKind, Target, UpstreamRequest } from '../kind.ts';
import { asked, asStream, modelAt } from './address.ts';

const version = { anthropic_version: 'vertex-2023-10-16' };

/** Betas travel in the header as with Anthropic's own API; here searching the web is one. */
function withBetas(request: UpstreamRequest, { clientHeaders }: Target, { params }: Conversation): UpstreamRequest {
  const betas = mergeBetas(clientHeaders?.['anthropic-beta'], params.webSearch && 'web-search-2025-03-05');
  return betas === '' ? request : { ...request, headers: { ...request.headers, 'anthropic-beta': betas } };
}

/** Anthropic's models at Google: the same messages, with the model in the address and the version in the body. */
export const vertexClaude: ProviderKind = {
  ...anthropicKind,
  name: 'vertex',
  searches: searchesAsClaude,
  toUpstream(conversation, target) {
    const { model: _, ...body } = messagesBodyOf(conversation, target);
    const method = conversation.stream ? ':streamRawPredict' : ':rawPredict';
    const request = asked(target, `${modelAt(target, 'anthropic')}${method}`, { ...version, ...body });
    return asStream(withBetas(request, target, conversation), conversation.stream);
  },
  countTokens: {
    ...anthropicKind.countTokens!,
    toUpstream(conversation, target) {
      const url = `${modelAt(target, 'anthropic', 'count-tokens')}:rawPredict`;
      return withBetas(asked(target, url, { ...version, ...countedBody(conversation, target) }), target, conversation);
    },
  },
};
