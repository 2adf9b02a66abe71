import type { Usage } from '../../../lib/money.ts';
import { citationsIn } from '../citations.ts';
import type { Answer, Finish, Json, Part } from '../conversation.ts';
import { writeCitation } from './citations.ts';

const reasons: Record<Finish, string> = {
  stop: 'COMPLETE',
  length: 'MAX_TOKENS',
  tool_calls: 'TOOL_CALL',
  // Cohere has no finish reason for filtered answers.
  content_filter: 'ERROR',
};

export const reasonOf = (finish: Finish, stopSequence?: string): string =>
  finish === 'stop' && stopSequence !== undefined ? 'STOP_SEQUENCE' : reasons[finish];

export function renderCohereUsage({ promptTokens, completionTokens, cacheReadTokens }: Usage): Json {
  const tokens = { input_tokens: promptTokens, output_tokens: completionTokens };
  return { billed_units: tokens, tokens, ...(cacheReadTokens !== undefined && { cached_tokens: cacheReadTokens }) };
}

/** Renders an answer as the body of `POST /v2/chat`. */
export const renderCohereAnswer = (answer: Answer, { id }: { id: string }): Json => ({
  id,
  finish_reason: reasonOf(answer.finish, answer.stopSequence),
  message: messageOf(answer.parts),
  ...(answer.usage && { usage: renderCohereUsage(answer.usage) }),
  ...answer.extra,
});

/** Text beside tool calls is the tool plan. */
function messageOf(parts: Part[]): Json {
  const calls = parts.flatMap((part) => (part.type === 'tool_call' ? [part] : []));
  const thinking = parts.flatMap((part) => (part.type === 'thinking' ? [part.text] : [])).join('');
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  const content = [
    ...(thinking === '' ? [] : [{ type: 'thinking', thinking }]),
    ...(calls.length > 0 ? [] : [{ type: 'text', text }]),
  ];
  const cited = citationsIn(parts);
  return {
    role: 'assistant',
    ...(content.length > 0 && { content }),
    ...(cited.length > 0 && { citations: cited.map((one) => writeCitation(one, text)) }),
    ...(calls.length > 0 && {
      ...(text !== '' && { tool_plan: text }),
      tool_calls: calls.map((call) => ({
        id: call.id,
        type: 'function',
        function: { name: call.name, arguments: call.arguments },
      })),
    }),
  };
}
