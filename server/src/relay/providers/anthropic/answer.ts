import type { Usage } from '../../../lib/money.ts';
import { lettersIn, readBlockCitations } from '../../wire/citations.ts';
import {
  type Answer,
  type Delta,
  type Finish,
  failure,
  isObject,
  type Json,
  type Part,
  type TextPart,
  UpstreamFault,
} from '../../wire/conversation.ts';
import { parseInput, readStopReason } from '../../wire/messages/answer.ts';
import { isSearchCall, isSearchResult, readSearch } from '../../wire/messages/searches.ts';
import { readMessagesUsage } from '../../wire/usage.ts';
import { readEmbeddedError } from '../kind/errors.ts';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

export function fromAnthropic(json: unknown): Answer {
  if (!isObject(json)) throw new UpstreamFault(failure('the upstream response is not a JSON object'));
  if (json.type === 'error' || json.error != null) throw new UpstreamFault(readEmbeddedError(json));
  if (!Array.isArray(json.content) || typeof json.stop_reason !== 'string') {
    throw new UpstreamFault(failure('the upstream returned an incomplete message'));
  }
  const usage = readMessagesUsage(json.usage);
  const parts = [...readParts(json.content.filter(isObject)), ...whyRefused(json)];
  return {
    id: text(json.id),
    model: text(json.model),
    parts,
    finish: finishAfter(parts.some(isCall), json.stop_reason),
    ...(typeof json.stop_sequence === 'string' && { stopSequence: json.stop_sequence }),
    ...(usage && { usage }),
    reasoningFormat: 'anthropic-claude-v1',
    source: { format: 'messages', body: json },
  };
}

const isCall = ({ type }: Part): boolean => type === 'tool_call';

/** Some servers of this format say `end_turn` for calls, and clients of others rely on the reason. */
function finishAfter(called: boolean, reason: string): Finish {
  const finish = readStopReason(reason);
  return called && finish === 'stop' ? 'tool_calls' : finish;
}

/** The refusal's explanation, returned beside the content. */
function whyRefused({ stop_details: details }: Json): TextPart[] {
  const why = isObject(details) ? text(details.explanation) : '';
  return why === '' ? [] : [{ type: 'text', text: why, refusal: true }];
}

function readParts(blocks: Json[]): Part[] {
  let letters = 0;
  const results = new Map(blocks.filter(isSearchResult).map((block) => [block.tool_use_id, block]));
  return blocks.flatMap((block): Part[] => {
    if (isSearchCall(block)) return [readSearch(block, results.get(block.id))];
    if (isSearchResult(block)) return [];
    const part = readBlock(block);
    if (part.type !== 'text') return [part];
    const start = letters;
    letters += lettersIn(part.text);
    const cited = readBlockCitations(block.citations, start, letters);
    return cited.length > 0 ? [{ ...part, cited }] : [part];
  });
}

function readBlock(block: Json): Part {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: text(block.text) };
    case 'thinking':
      return { type: 'thinking', text: text(block.thinking), signature: text(block.signature) };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: text(block.data) };
    case 'tool_use':
      return {
        type: 'tool_call',
        id: text(block.id),
        name: text(block.name),
        arguments: JSON.stringify(block.input ?? {}),
      };
    default:
      return { type: 'raw', format: 'messages', value: block };
  }
}

/** Parses the events of one stream. */
export function anthropicDecoder(): (json: Json) => Delta[] {
  let usage: Usage | undefined;
  let calls = 0;
  /** Block index to call index; only blocks of client tools are calls. */
  const callOf = new Map<unknown, number>();
  /** Characters so far, and before the open block; citations of that block. */
  let letters = 0;
  let before = 0;
  let citations: unknown[] = [];
  /** Pending searches by id, and the input of the one being streamed. */
  const searches = new Map<unknown, Json>();
  let asking: { id: unknown; input: string } | undefined;
  /** Initial content of a block, for servers that send it whole with nothing after it. */
  const begunWith = new Map<unknown, Delta[]>();

  function say(words: string): Delta[] {
    letters += lettersIn(words);
    return [{ type: 'text', text: words }];
  }

  function blockStart(json: Json): Delta[] {
    const block = isObject(json.content_block) ? json.content_block : {};
    before = letters;
    citations = Array.isArray(block.citations) ? [...block.citations] : [];
    if (block.type === 'tool_use') {
      const index = calls++;
      callOf.set(json.index, index);
      if (isObject(block.input) && Object.keys(block.input).length > 0)
        begunWith.set(json.index, [{ type: 'tool_args', index, args: JSON.stringify(block.input) }]);
      return [{ type: 'tool_start', index, id: text(block.id), name: text(block.name) }];
    }
    if (isSearchCall(block)) {
      searches.set(block.id, block);
      asking = { id: block.id, input: '' };
    }
    if (isSearchResult(block)) {
      const call = searches.get(block.tool_use_id);
      searches.delete(block.tool_use_id);
      return [readSearch(call ?? { id: block.tool_use_id }, block)];
    }
    if (block.type === 'redacted_thinking') return [{ type: 'redacted_thinking', data: text(block.data) }];
    if (block.type === 'thinking' && text(block.thinking) + text(block.signature) !== '') {
      begunWith.set(json.index, [
        { type: 'thinking', text: text(block.thinking) },
        ...(text(block.signature) === '' ? [] : [{ type: 'signature' as const, signature: text(block.signature) }]),
      ]);
    }
    return block.type === 'text' && text(block.text) !== '' ? say(text(block.text)) : [];
  }

  function blockStop({ index }: Json): Delta[] {
    const call = asking && searches.get(asking.id);
    if (call && asking!.input !== '') searches.set(asking!.id, { ...call, input: parseInput(asking!.input) });
    asking = undefined;
    const whole = begunWith.get(index) ?? [];
    begunWith.delete(index);
    return citations.length === 0 ? whole : [...whole, ...readBlockCitations(citations.splice(0), before, letters)];
  }

  function blockDelta(json: Json): Delta[] {
    const delta = isObject(json.delta) ? json.delta : {};
    begunWith.delete(json.index);
    switch (delta.type) {
      case 'text_delta':
        return say(text(delta.text));
      case 'citations_delta':
        citations.push(delta.citation);
        return [];
      case 'thinking_delta':
        return [{ type: 'thinking', text: text(delta.thinking) }];
      case 'signature_delta':
        return [{ type: 'signature', signature: text(delta.signature) }];
      case 'input_json_delta': {
        const index = callOf.get(json.index);
        const args = text(delta.partial_json);
        if (asking) asking.input += args;
        return index === undefined || args === '' ? [] : [{ type: 'tool_args', index, args }];
      }
      default:
        return [];
    }
  }

  function messageDelta(json: Json): Delta[] {
    const delta = isObject(json.delta) ? json.delta : {};
    usage = readMessagesUsage(json.usage, usage);
    const out: Delta[] = usage ? [{ type: 'usage', usage }] : [];
    if (typeof delta.stop_reason === 'string') {
      const stopped = typeof delta.stop_sequence === 'string' ? { stopSequence: delta.stop_sequence } : {};
      out.push(...whyRefused(delta), { type: 'finish', finish: finishAfter(calls > 0, delta.stop_reason), ...stopped });
    }
    return out;
  }

  return (json) => {
    switch (json.type) {
      case 'message_start': {
        const message = isObject(json.message) ? json.message : {};
        usage = readMessagesUsage(message.usage);
        const start: Delta = { type: 'start', id: text(message.id), model: text(message.model) };
        return usage ? [start, { type: 'usage', usage }] : [start];
      }
      case 'content_block_start':
        return blockStart(json);
      case 'content_block_delta':
        return blockDelta(json);
      case 'content_block_stop':
        return blockStop(json);
      case 'message_delta':
        return messageDelta(json);
      case 'message_stop':
        return [{ type: 'end' }];
      case 'error':
        return [{ type: 'error', error: readEmbeddedError(json) }];
      default:
        return json.error != null ? [{ type: 'error', error: readEmbeddedError(json) }] : [];
    }
  };
}
