import type { Conversation, Json } from '../../wire/conversation.ts';

/** OpenAI's models that reason, wherever they are served: they refuse any temperature but 1, and penalties. */
const reasons = /(^|\/)(o\d|gpt-[5-9]|codex)/;
/** Of these, those that take them while they do not reason, which is their default. */
const reasonsOnlyIfAsked = /gpt-5-chat|gpt-5\.[24](?!\d|-(chat|codex|pro))/;

/**
 * Sampling parameters of another format: a client that speaks it does not know which of OpenAI's models take them. Its
 * own clients get the refusal that they know.
 */
export function samplingFor({ params, source }: Conversation, modelName: string): Json {
  const { temperature, topP: top_p, frequencyPenalty: frequency_penalty, presencePenalty: presence_penalty } = params;
  const isOwn = source?.format === 'chat' || source?.format === 'responses';
  const effort = params.reasoning?.effort ?? (params.reasoning ? 'medium' : 'none');
  const takes = isOwn || !reasons.test(modelName) || (reasonsOnlyIfAsked.test(modelName) && effort === 'none');
  return takes ? { temperature, top_p, frequency_penalty, presence_penalty } : {};
}
