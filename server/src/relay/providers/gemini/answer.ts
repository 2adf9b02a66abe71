import { randomString } from '../../../lib/ids.ts';
import type { Usage } from '../../../lib/money.ts';
import {
  type Answer,
  type Delta,
  type Finish,
  failure,
  isObject,
  type Json,
  type Part,
  UpstreamFault,
} from '../../wire/conversation.ts';
import { markGemini } from '../../wire/signature.ts';
import { tokens, uncached, usageOf } from '../../wire/usage.ts';
import { readEmbeddedError, undone } from '../kind/errors.ts';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const finishes: Record<string, Finish> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  LANGUAGE: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
};

/** Ends that come of the tools and the talk they were given with: a retry elsewhere may do better. */
const broken = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MALFORMED_RESPONSE',
]);

/** Tokens of one kind in a list of them. */
function ofModality(list: unknown, modality: string): number {
  const found = Array.isArray(list) ? list.find((item) => isObject(item) && item.modality === modality) : undefined;
  return tokens(found?.tokenCount) ?? 0;
}

/** Thoughts are output; cached tokens, and what tools of the vendor's own put in, are part of the prompt. */
export function readGeminiUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const count = (name: string): number => tokens(value[name]) ?? 0;
  const prompt = (modality: string): number =>
    uncached(
      ofModality(value.promptTokensDetails, modality) + ofModality(value.toolUsePromptTokensDetails, modality),
      ofModality(value.cacheTokensDetails, modality),
    );
  const reasoning = count('thoughtsTokenCount');
  const promptTokens = count('promptTokenCount') + count('toolUsePromptTokenCount');
  return usageOf(promptTokens, count('candidatesTokenCount') + reasoning, {
    cacheRead: count('cachedContentTokenCount'),
    reasoning,
    audioIn: prompt('AUDIO'),
    imageIn: prompt('IMAGE'),
    audioOut: ofModality(value.candidatesTokensDetails, 'AUDIO'),
  });
}

/** The vendor gives calls no ids of their own, or ones that repeat; clients need unique ones. */
const callId = (): string => `call_${randomString(20)}`;

function readPart(part: Json): Part[] {
  const signature = typeof part.thoughtSignature === 'string' ? part.thoughtSignature : undefined;
  if (isObject(part.functionCall)) {
    const args = JSON.stringify(part.functionCall.args ?? {});
    const signed = signature === undefined ? {} : { signature };
    return [{ type: 'tool_call', id: callId(), name: text(part.functionCall.name), arguments: args, ...signed }];
  }
  // A signature outside a call belongs to the thinking that led to what follows.
  const mark: Part[] =
    signature === undefined ? [] : [{ type: 'thinking', text: '', signature: markGemini(signature) }];
  if (part.thought === true) return [{ type: 'thinking', text: text(part.text) }, ...mark];
  if (isObject(part.inlineData)) {
    const source = { mediaType: text(part.inlineData.mimeType), data: text(part.inlineData.data) };
    return [...mark, { type: 'image', source }];
  }
  return text(part.text) === '' ? mark : [...mark, { type: 'text', text: text(part.text) }];
}

interface Piece {
  parts: Part[];
  finish?: Finish;
}

function readCandidate(json: Json): Piece {
  if (json.error != null) throw new UpstreamFault(readEmbeddedError(json));
  const feedback = isObject(json.promptFeedback) ? json.promptFeedback : {};
  const candidate = Array.isArray(json.candidates) ? json.candidates.find(isObject) : undefined;
  if (candidate === undefined)
    return feedback.blockReason == null ? { parts: [] } : { parts: [], finish: 'content_filter' };
  const content = isObject(candidate.content) ? candidate.content : {};
  const parts = Array.isArray(content.parts) ? content.parts.filter(isObject).flatMap(readPart) : [];
  const reason = text(candidate.finishReason);
  if (broken.has(reason)) throw new UpstreamFault(undone(`the upstream ended its answer with ${reason}`));
  return reason === '' ? { parts } : { parts, finish: finishes[reason] ?? 'stop' };
}

export function fromGemini(json: unknown): Answer {
  if (!isObject(json))
    throw new UpstreamFault(failure('the upstream answered with something that is not a JSON object'));
  const { parts, finish } = readCandidate(json);
  if (finish === undefined) throw new UpstreamFault(failure('the upstream answered with an unfinished candidate'));
  const usage = readGeminiUsage(json.usageMetadata);
  const calls = parts.some((part) => part.type === 'tool_call');
  return {
    id: text(json.responseId),
    model: text(json.modelVersion),
    parts: joinTexts(parts),
    finish: calls && finish === 'stop' ? 'tool_calls' : finish,
    reasoningFormat: 'google-gemini-v1',
    ...(usage && { usage }),
  };
}

/** Neighbouring pieces of text are one; a signature without words of its own joins the thinking before it. */
function joinTexts(parts: Part[]): Part[] {
  const out: Part[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (part.type === 'text' && last?.type === 'text') last.text += part.text;
    else if (part.type === 'thinking' && last?.type === 'thinking' && last.signature === undefined) {
      last.text += part.text;
      if (part.signature !== undefined) last.signature = part.signature;
    } else out.push({ ...part });
  }
  return out;
}

/** Reads the chunks of one stream; each call comes whole. */
export function geminiDecoder(): (json: Json) => Delta[] {
  let started = false;
  let calls = 0;

  function deltasOf(part: Part): Delta[] {
    if (part.type === 'text') return [{ type: 'text', text: part.text }];
    if (part.type === 'thinking') {
      const thought: Delta[] = part.text === '' ? [] : [{ type: 'thinking', text: part.text }];
      return part.signature === undefined ? thought : [...thought, { type: 'signature', signature: part.signature }];
    }
    if (part.type !== 'tool_call') return [];
    const index = calls++;
    const signed = part.signature === undefined ? {} : { signature: part.signature };
    return [
      { type: 'tool_start', index, id: part.id, name: part.name, ...signed },
      { type: 'tool_args', index, args: part.arguments },
    ];
  }

  return (json) => {
    let piece: Piece;
    try {
      piece = readCandidate(json);
    } catch (error) {
      if (error instanceof UpstreamFault) return [{ type: 'error', error: error.error }];
      throw error;
    }
    const out: Delta[] = started ? [] : [{ type: 'start', id: text(json.responseId), model: text(json.modelVersion) }];
    started = true;
    out.push(...piece.parts.flatMap(deltasOf));
    const usage = readGeminiUsage(json.usageMetadata);
    if (usage) out.push({ type: 'usage', usage });
    if (piece.finish)
      out.push({ type: 'finish', finish: calls > 0 && piece.finish === 'stop' ? 'tool_calls' : piece.finish });
    return out;
  };
}
