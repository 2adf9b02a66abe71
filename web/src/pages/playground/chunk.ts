import { ApiError } from '../../api.ts';
import type { ToolCall } from '../../components/tool-call.tsx';
import { t } from '../../language/words.ts';
import type { AnswerEntry, PlanMeta } from './conversation.ts';

interface WireCall {
  index?: number;
  id?: string;
  function?: { name?: string; arguments?: string };
}

interface WireMessage {
  content?: string | null;
  reasoning_content?: string | null;
  reasoning?: string | null;
  tool_calls?: WireCall[];
}

/** A chunk of a stream or a complete answer: the same fields, in `delta` or in `message`. */
export interface Chunk {
  choices?: { delta?: WireMessage; message?: WireMessage; finish_reason?: string | null }[];
  usage?: { prompt_tokens?: number; completion_tokens?: number } | null;
  svc_ms_meta?: PlanMeta;
  error?: { message?: string };
}

/**
 * The position of a piece among `count` calls. An index past the end is treated as the next one, so that there are no
 * gaps.
 */
function placeOf({ index, id, function: fn }: WireCall, place: number, count: number): number {
  const given = index ?? place;
  if (Number.isInteger(given) && given >= 0 && given < count) return given;
  return id || fn?.name || count === 0 ? count : count - 1;
}

function withCalls(calls: ToolCall[], pieces: WireCall[]): ToolCall[] {
  const next = [...calls];
  for (const [place, piece] of pieces.entries()) {
    const index = placeOf(piece, place, next.length);
    const before = next[index] ?? { id: '', name: '', arguments: '' };
    next[index] = {
      id: piece.id || before.id,
      name: before.name + (piece.function?.name ?? ''),
      arguments: before.arguments + (piece.function?.arguments ?? ''),
    };
  }
  return next;
}

/** Adds a chunk to an answer. Throws if the chunk is an error. */
export function withChunk(answer: AnswerEntry, chunk: Chunk): AnswerEntry {
  if (chunk.error) {
    const message = chunk.error.message || t('The answer was interrupted.');
    throw new ApiError(502, message, answer.stats.requestId ?? null);
  }
  const choice = chunk.choices?.[0];
  const said = choice?.delta ?? choice?.message ?? {};
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = chunk.usage ?? {};
  return {
    ...answer,
    state: 'streaming',
    content: answer.content + (said.content ?? ''),
    reasoning: answer.reasoning + (said.reasoning_content ?? said.reasoning ?? ''),
    toolCalls: said.tool_calls ? withCalls(answer.toolCalls, said.tool_calls) : answer.toolCalls,
    finishReason: choice?.finish_reason ?? answer.finishReason,
    meta: chunk.svc_ms_meta ?? answer.meta,
    stats: chunk.usage ? { ...answer.stats, promptTokens, completionTokens } : answer.stats,
  };
}

/** Whether there is anything to show yet. */
export const hasOutput = ({ content, reasoning, toolCalls }: AnswerEntry): boolean =>
  content !== '' || reasoning !== '' || toolCalls.length > 0;
