import type { Conversation } from '../../wire/conversation.ts';

/** OpenAI's models that reason, wherever they are served: they refuse any temperature but 1, and penalties. */
const reasons = /(^|\/)(o\d|gpt-[5-9]|codex)/;
/** Of these, those that take them while they do not reason, which is their default. */
const reasonsOnlyIfAsked = /gpt-5-chat|gpt-5\.[24](?!\d|-(chat|codex|pro))/;

const sampling = ['temperature', 'top_p', 'frequency_penalty', 'presence_penalty'];

/**
 * Parameters to leave out of a request that was not written for this model. One in OpenAI's own format was: its client
 * gets the refusal that it knows.
 */
export function refusedSampling(conversation: Conversation, modelName: string): readonly string[] {
  const { source, anyModel, params } = conversation;
  const isOwn = !anyModel && (source?.format === 'chat' || source?.format === 'responses');
  if (isOwn || !reasons.test(modelName)) return [];
  const { reasoning } = params;
  const effort = reasoning?.effort ?? (reasoning ? 'medium' : 'none');
  return effort === 'none' && reasonsOnlyIfAsked.test(modelName) ? [] : sampling;
}
