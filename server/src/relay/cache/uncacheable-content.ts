import { isObject, type Json, objectsIn, type WireFormat } from '../wire/conversation.ts';

const plainBlocks = new Set(['text', 'thinking', 'redacted_thinking']);
const plainItems = new Set(['message', 'reasoning']);

/**
 * Whether a stream event contains what deltas cannot represent: images, audio, citations, vendor tools. It is
 * delivered, but the answer is not cached.
 */
export const hasUncacheableContent: Record<WireFormat, (event: Json) => boolean> = {
  chat: ({ choices }) =>
    objectsIn(choices).some(
      ({ delta }) => isObject(delta) && ['images', 'audio', 'annotations'].some((name) => delta[name] != null),
    ),
  messages: ({ type, content_block: block, delta }) =>
    (type === 'content_block_start' && isObject(block) && !plainBlocks.has(block.type as string)) ||
    (type === 'content_block_delta' && isObject(delta) && delta.type === 'citations_delta'),
  responses: ({ type, item }) =>
    type === 'response.output_text.annotation.added' ||
    (type === 'response.output_item.added' && isObject(item) && !plainItems.has(item.type as string)),
  gemini: ({ candidates }) =>
    objectsIn(candidates).some(
      ({ content, groundingMetadata }) =>
        groundingMetadata != null || (isObject(content) && objectsIn(content.parts).some((part) => !('text' in part))),
    ),
};
