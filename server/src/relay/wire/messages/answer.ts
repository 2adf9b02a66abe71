import { isRawNumber, parseExactly } from '../../../lib/exact-json.ts';
import { table } from '../../../lib/table.ts';
import { citationsIn, lettersIn } from '../citations.ts';
import { type Answer, type Finish, isObject, type Json, type Part } from '../conversation.ts';
import { markGemini } from '../signature.ts';
import { renderMessagesUsage } from '../usage.ts';
import { citedBlocks } from './citations.ts';
import { writeSearch } from './searches.ts';

/** Renders an answer as a message. */
export function renderMessagesAnswer(answer: Answer, options: { model: string; id: string }): Json {
  const { usage = { promptTokens: 0, completionTokens: 0 } } = answer;
  if (answer.source?.format === 'messages') {
    const { body } = answer.source;
    return { ...body, model: options.model, ...(body.usage == null && { usage: renderMessagesUsage(usage) }) };
  }
  const content = renderBlocks(answer.parts);
  return {
    id: options.id,
    type: 'message',
    role: 'assistant',
    model: options.model,
    content,
    stop_reason: renderStopReason(answer.finish, answer.stopSequence),
    stop_sequence: answer.stopSequence ?? null,
    usage: renderMessagesUsage(usage),
    ...answer.extra,
  };
}

function renderBlocks(parts: Part[]): Json[] {
  const cited = citationsIn(parts);
  if (cited.length === 0) return parts.flatMap(renderBlock);
  let before = 0;
  return parts.flatMap((part) => {
    if (part.type !== 'text' || part.refusal || part.text === '') return renderBlock(part);
    const said = { text: part.text, before };
    before += lettersIn(part.text);
    return citedBlocks(said, cited);
  });
}

function renderBlock(part: Part): Json[] {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'thinking':
      return [{ type: 'thinking', thinking: part.text, signature: part.signature ?? '' }];
    case 'redacted_thinking':
      return [{ type: 'redacted_thinking', data: part.data }];
    case 'search':
      return writeSearch(part);
    case 'tool_call':
      return [
        // Calls cannot carry a signature in this format, so it is put into a thinking block before the call.
        ...(part.signature === undefined
          ? []
          : [{ type: 'thinking', thinking: '', signature: markGemini(part.signature) }]),
        { type: 'tool_use', id: part.id, name: part.name, input: parseInput(part.arguments) },
      ];
    case 'raw':
      return part.format === 'messages' ? [part.value] : [];
    default:
      return [];
  }
}

/** `input` is an object in this format; other arguments are wrapped so that they stay readable. */
export function parseInput(text: string): Json {
  if (text.trim() === '') return {};
  try {
    const value = parseExactly(text);
    return isObject(value) && !isRawNumber(value) ? value : { value };
  } catch {
    return { arguments: text };
  }
}

const stopReasons: Record<Finish, string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};

export const renderStopReason = (finish: Finish, stopSequence?: string): string =>
  finish === 'stop' && stopSequence !== undefined ? 'stop_sequence' : stopReasons[finish];

const finishes = table<Finish>({
  end_turn: 'stop',
  stop_sequence: 'stop',
  // The turn was not continued, so it is incomplete.
  pause_turn: 'length',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
});

export const readStopReason = (reason: string): Finish => finishes[reason] ?? 'stop';
