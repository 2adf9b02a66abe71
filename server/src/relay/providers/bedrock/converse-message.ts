import { randomString } from '../../../lib/ids.ts';
import { objectsIn } from '../../../lib/is-object.ts';
import { table } from '../../../lib/table.ts';
import { isObject, type Json } from '../../wire/conversation.ts';
import { objectOf, textOf } from './fields.ts';

/** An empty message. The model's name is omitted; clients see the one they asked for. */
export const newMessage = (): Json => ({
  id: `msg_${randomString(24)}`,
  type: 'message',
  role: 'assistant',
  model: '',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 0, output_tokens: 0 },
});

/** Stop reasons with another name in Messages; the rest are the same. */
const stopReasons = table<string>({ guardrail_intervened: 'refusal', content_filtered: 'refusal' });

/** How an answer ended, or its error: unreadable model output makes it incomplete. */
export function endOf(stopReason: unknown): { reason: string } | { error: Json } {
  const said = textOf(stopReason);
  return said.startsWith('malformed_')
    ? {
        error: {
          type: 'error',
          error: { type: 'api_error', message: `the model's response was interrupted: ${said}` },
        },
      }
    : { reason: stopReasons[said] ?? said };
}

/** Cached tokens are counted apart from the input, as in Messages. */
export function usageOf(value: unknown): Json {
  const usage = objectOf(value);
  const details = objectsIn(usage.cacheDetails);
  const written = (ttl: string) => details.find((detail) => detail.ttl === ttl)?.inputTokens ?? 0;
  return {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: usage.cacheWriteInputTokens ?? 0,
    cache_read_input_tokens: usage.cacheReadInputTokens ?? 0,
    ...(details.length > 0 && {
      cache_creation: { ephemeral_5m_input_tokens: written('5m'), ephemeral_1h_input_tokens: written('1h') },
    }),
    output_tokens: usage.outputTokens,
  };
}

/** A whole answer as a message; null if it is none. */
export function messageOf(json: unknown): Json | null {
  const answer = objectOf(json);
  const { message } = objectOf(answer.output);
  if (!isObject(message) || typeof answer.stopReason !== 'string') return null;
  const end = endOf(answer.stopReason);
  if ('error' in end) return end.error;
  return {
    ...newMessage(),
    content: objectsIn(message.content).flatMap(readBlock),
    stop_reason: end.reason,
    ...(isObject(answer.usage) && { usage: usageOf(answer.usage) }),
  };
}

function readBlock(block: Json): Json[] {
  if (typeof block.text === 'string') return [{ type: 'text', text: block.text }];
  if (isObject(block.toolUse)) {
    const { toolUseId, name, input } = block.toolUse;
    return [{ type: 'tool_use', id: toolUseId, name, input }];
  }
  if (isObject(block.reasoningContent)) return [readThought(block.reasoningContent)];
  if (isObject(block.citationsContent))
    return [
      {
        type: 'text',
        text: objectsIn(block.citationsContent.content)
          .map(({ text }) => textOf(text))
          .join(''),
      },
    ];
  return [];
}

function readThought({ reasoningText, redactedContent }: Json): Json {
  if (redactedContent !== undefined) return { type: 'redacted_thinking', data: textOf(redactedContent) };
  const { text, signature } = objectOf(reasoningText);
  return { type: 'thinking', thinking: textOf(text), signature: textOf(signature) };
}
