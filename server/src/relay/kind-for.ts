import { paysSearches } from '../lib/money.ts';
import { vendorOf } from '../lib/vendors/find-vendor.ts';
import type { Candidate } from '../routing/candidate.ts';
import { kindOf } from './dispatch.ts';
import type { ProviderKind } from './providers/kind.ts';
import { refuseBeyondChat } from './wire/completions/request.ts';
import type { Conversation } from './wire/conversation.ts';

/** Whether the operator marked the model so. */
export const hasCompletions = (candidate: Candidate): boolean =>
  candidate.capabilities.completions === true && kindOf(candidate).completions !== undefined;

type Asked = Pick<Conversation, 'completion' | 'source' | 'params'>;

/**
 * How a candidate is asked: as the text completion it is where the model has those, in OpenAI's Responses format where the
 * request came in it or nothing else carries what it asks, else as a chat.
 */
export function kindFor(candidate: Candidate, conversation: Asked): ProviderKind {
  const kind = kindOf(candidate);
  const { completion } = conversation;
  if (!completion) return (wantsResponses(candidate, conversation) && kind.responses) || kind;
  if (hasCompletions(candidate)) return { ...kind, ...kind.completions };
  refuseBeyondChat(completion);
  return kind;
}

/** Such models reason unless they are told not to, and then take functions in chat too. */
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
