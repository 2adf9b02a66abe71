import type { Candidate } from '../routing/candidate.ts';
import { estimatePrompt } from './bill.ts';
import type { Conversation } from './wire/conversation.ts';

/** Past the estimate by this much, a request is sure not to fit; below it, the upstream may decide. */
const certain = 1.5;

/** Leaves out candidates whose window cannot hold the request, when it is large enough to matter. */
export function fitsConversation(conversation: Conversation): ((candidate: Candidate) => boolean) | undefined {
  const tokens = estimatePrompt(conversation);
  if (tokens < 4_096) return undefined;
  return (candidate) => candidate.contextLength === 0 || tokens <= candidate.contextLength * certain;
}
