import { objectsIn } from '../../../lib/is-object.ts';
import { sseEvent } from '../../../lib/sse.ts';
import { isObject, type Json } from '../conversation.ts';
import { messagesStop } from './stream.ts';

const event = (data: Json & { type: string }): string => sseEvent(data.type, JSON.stringify(data));

/** A whole message as the events of a stream. */
export function messagesWholeEvents(message: Json): string {
  const { content, stop_reason, stop_sequence, stop_details, container, context_management, usage, ...head } = message;
  const counted = isObject(usage) ? { ...usage, output_tokens: 1 } : usage;
  const begun = { ...head, content: [], stop_reason: null, stop_sequence: null, usage: counted };
  const delta = {
    stop_reason,
    stop_sequence: stop_sequence ?? null,
    ...(stop_details != null && { stop_details }),
    ...(container != null && { container }),
  };
  const more = context_management == null ? {} : { context_management };
  return (
    event({ type: 'message_start', message: begun }) +
    objectsIn(content).map(blockEvents).join('') +
    event({ type: 'message_delta', delta, usage, ...more }) +
    messagesStop
  );
}

function blockEvents(block: Json, index: number): string {
  const { begun, deltas } = piecesOf(block);
  return (
    event({ type: 'content_block_start', index, content_block: begun }) +
    deltas.map((delta) => event({ type: 'content_block_delta', index, delta })).join('') +
    event({ type: 'content_block_stop', index })
  );
}

/** How a block begins, and what follows; blocks of unknown types come whole, as results of tools do. */
function piecesOf(block: Json): { begun: Json; deltas: Json[] } {
  if (block.type === 'text') {
    const { citations, ...begun } = { ...block, text: '' } as Json;
    const cited = objectsIn(citations).map((citation) => ({ type: 'citations_delta', citation }));
    return { begun, deltas: [{ type: 'text_delta', text: block.text }, ...cited] };
  }
  if (block.type === 'thinking') {
    const { thinking, signature } = block;
    const signed = typeof signature === 'string' ? [{ type: 'signature_delta', signature }] : [];
    const begun = { ...block, thinking: '', signature: '' };
    return { begun, deltas: [{ type: 'thinking_delta', thinking }, ...signed] };
  }
  if (isObject(block.input)) {
    const partial_json = JSON.stringify(block.input);
    return { begun: { ...block, input: {} }, deltas: [{ type: 'input_json_delta', partial_json }] };
  }
  return { begun: block, deltas: [] };
}
