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
function wantsResponses({ capabilities }: Candidate, { source, params }: Asked): boolean {
  if (capabilities.responses !== true) return false;
  if (source?.format === 'responses') return true;
  const usesTools = params.tools !== undefined && params.tools.length > 0 && params.rawTools === undefined;
  return capabilities.tools_in_responses === true && usesTools && params.reasoning?.effort !== 'none';
}
