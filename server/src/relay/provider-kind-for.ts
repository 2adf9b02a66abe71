import { paysSearches } from '../lib/money.ts';
import { vendorOf } from '../lib/vendors/find-vendor.ts';
import type { Candidate } from '../routing/candidate.ts';
import { kindOf } from './dispatch.ts';
import type { ProviderKind } from './providers/kind.ts';
import { refuseBeyondChat } from './wire/completions/request.ts';
import type { Conversation } from './wire/conversation.ts';

/** Whether the operator marked the model as a completion model. */
export const hasCompletions = (candidate: Candidate): boolean =>
  candidate.capabilities.completions === true && kindOf(candidate).completions !== undefined;

type Asked = Pick<Conversation, 'completion' | 'source' | 'params'>;

/**
 * Which API of the candidate is used: text completions where the model has only those, OpenAI's Responses if the
 * request came in that format or only it can express the request, else chat.
 */
export function providerKindFor(candidate: Candidate, conversation: Asked): ProviderKind {
  const kind = kindOf(candidate);
  const { completion } = conversation;
  if (!completion) return (wantsResponses(candidate, conversation) && kind.responses) || kind;
  if (hasCompletions(candidate)) return { ...kind, ...kind.completions };
  refuseBeyondChat(completion);
  return kind;
}

/** These models reason by default; with reasoning turned off they accept functions in chat, too. */
function wantsResponses(candidate: Candidate, { source, params }: Asked): boolean {
  const { capabilities } = candidate;
  if (capabilities.responses !== true) return false;
  if (source?.format === 'responses' || (params.webSearch && searchesThere(candidate))) return true;
  const usesTools = params.tools !== undefined && params.tools.length > 0 && params.rawTools === undefined;
  return capabilities.tools_in_responses === true && usesTools && params.reasoning?.effort !== 'none';
}

function searchesThere({ channel: { provider, baseUrl }, modelName, price, capabilities }: Candidate): boolean {
  const { searchesIn, searchModels } = vendorOf(provider, baseUrl).models;
  const isThere = searchesIn === 'responses' || capabilities.web_search === true;
  return isThere && !searchModels?.test(modelName) && paysSearches(price);
}
