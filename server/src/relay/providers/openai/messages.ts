import type { Vendor } from '../../../lib/vendors/vendor.ts';
import { renderToolCall } from '../../wire/chat/answer.ts';
import { renderReasoningDetails } from '../../wire/chat/reasoning.ts';
import type { Conversation, Json, Part, TextPart, ToolResultPart, Turn } from '../../wire/conversation.ts';
import { toDataUrl } from '../../wire/data-url.ts';
import { fileName } from './file-name.ts';

/** Converts a conversation of another format to chat messages. */
export function buildMessages(conversation: Conversation, vendor: Vendor): Json[] {
  const messages: Json[] = [];
  if (conversation.system.length > 0)
    messages.push({ role: 'system', content: systemContent(conversation.system, vendor) });
  for (const turn of conversation.turns) {
    messages.push(...(turn.role === 'assistant' ? assistantMessage(turn, vendor) : userMessages(turn, vendor)));
  }
  return messages;
}

function systemContent(system: TextPart[], vendor: Vendor): string | Json[] {
  if (vendor.knowsCacheControl && system.some((part) => part.cacheControl !== undefined)) {
    return system.map((part) => textPart(part, vendor));
  }
  return system.map((part) => part.text).join('\n\n');
}

const textPart = (part: TextPart, vendor: Vendor): Json => ({
  type: 'text',
  text: part.text,
  ...(vendor.knowsCacheControl && part.cacheControl !== undefined && { cache_control: part.cacheControl }),
});

function assistantMessage(turn: Turn, vendor: Vendor): Json[] {
  const text = turn.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  const calls = turn.parts.flatMap((part) => {
    if (part.type !== 'tool_call') return [];
    const { signature, ...unsigned } = part;
    return [
      renderToolCall(vendor.reasoningBack.includes('extra_content') && signature !== undefined ? part : unsigned),
    ];
  });
  const details = vendor.reasoningBack.includes('reasoning_details') ? renderReasoningDetails(turn.parts) : [];
  const thoughts = details.length > 0 ? '' : unsignedThoughts(turn, vendor);
  if (text === '' && calls.length === 0 && details.length === 0) return [];
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...(details.length > 0 && { reasoning_details: details }),
      ...(thoughts !== '' && { reasoning_content: thoughts }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  ];
}

/** Some vendors require unsigned reasoning with the calls it led to. Signed reasoning is another vendor's. */
function unsignedThoughts({ parts }: Turn, vendor: Vendor): string {
  if (!vendor.reasoningBack.includes('reasoning_content')) return '';
  return parts.flatMap((part) => (part.type === 'thinking' && !part.signature ? [part.text] : [])).join('');
}

/** Tool results first, one message each; the rest of the turn follows as a user message. */
function userMessages(turn: Turn, vendor: Vendor): Json[] {
  const messages: Json[] = [];
  const rest: Json[] = [];
  for (const part of turn.parts) {
    if (part.type !== 'tool_result') {
      rest.push(...userPart(part, vendor));
      continue;
    }
    messages.push({ role: 'tool', tool_call_id: part.callId, content: resultText(part) });
    // Tool messages are text only, so images in a result follow in the user message.
    rest.push(...part.content.filter((item) => item.type !== 'text').flatMap((item) => userPart(item, vendor)));
  }
  if (rest.length > 0) {
    const only = rest.length === 1 && rest[0]!.type === 'text' && rest[0]!.cache_control === undefined;
    messages.push({
      role: 'user',
      content: only ? rest[0]!.text : rest,
      ...(turn.name !== undefined && { name: turn.name }),
    });
  } else if (messages.length === 0) messages.push({ role: 'user', content: '' });
  return messages;
}

function resultText(part: ToolResultPart): string {
  const text = part.content.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n');
  // The format has no error flag, and a model must not take an error for a result.
  return part.isError ? `Error: ${text}` : text;
}

function userPart(part: Part, vendor: Vendor): Json[] {
  switch (part.type) {
    case 'text':
      return [textPart(part, vendor)];
    case 'image': {
      if ('fileId' in part.source) return [];
      const url = 'url' in part.source ? part.source.url : toDataUrl(part.source.mediaType, part.source.data);
      return [{ type: 'image_url', image_url: { url, ...(part.detail !== undefined && { detail: part.detail }) } }];
    }
    case 'file': {
      const { source } = part;
      if ('text' in source)
        return [{ type: 'text', text: part.name === undefined ? source.text : `${part.name}\n${source.text}` }];
      if ('fileId' in source) return [{ type: 'file', file: { file_id: source.fileId } }];
      const [data, type] =
        'url' in source
          ? [source.url, 'application/pdf']
          : [toDataUrl(source.mediaType, source.data), source.mediaType];
      return [{ type: 'file', file: { filename: fileName(part.name, type), file_data: data } }];
    }
    case 'audio':
      return [{ type: 'input_audio', input_audio: { data: part.data, format: part.format } }];
    case 'raw':
      return part.format === 'chat' ? [part.value] : [];
    default:
      return [];
  }
}
