import type { ImagePart, Part, Turn } from '../wire/conversation.ts';
import { parseDataUrl } from '../wire/data-url.ts';
import { typeOf } from './items.ts';
import type { Item } from './keeper.ts';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));

const listOf = (value: unknown): Item[] =>
  Array.isArray(value) ? value.filter((part) => typeof part === 'object' && part !== null) : [];

/** Text and images of a message or a tool's output. */
function partsOf(content: unknown): Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return listOf(content).map((part): Part => {
    if (typeof part.image_url === 'string') return { type: 'image', source: sourceOf(part.image_url) };
    if (part.type === 'input_file') return { type: 'text', text: `[file ${textOf(part.filename ?? part.file_id)}]` };
    return { type: 'text', text: textOf(part.text ?? part.refusal ?? part.transcript ?? '') };
  });
}

const sourceOf = (url: string): ImagePart['source'] => parseDataUrl(url) ?? { url };

/** Any item as text: enough to summarise, not to continue from. */
function turnOf(item: Item): Turn {
  const said = (text: string): Part[] => [{ type: 'text', text }];
  switch (typeOf(item)) {
    case 'message':
      return { role: item.role === 'assistant' ? 'assistant' : 'user', parts: partsOf(item.content) };
    case 'reasoning':
      return { role: 'assistant', parts: [...partsOf(item.summary), ...partsOf(item.content)] };
    case 'function_call':
    case 'custom_tool_call':
      return {
        role: 'assistant',
        parts: said(`[calls ${textOf(item.name)}: ${textOf(item.arguments ?? item.input)}]`),
      };
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { role: 'user', parts: partsOf(item.output) };
    default: {
      const { id: _, encrypted_content: __, ...rest } = item;
      return { role: 'assistant', parts: said(JSON.stringify(rest)) };
    }
  }
}

/** A transcript of the items. */
export const transcriptOf = (items: readonly Item[]): string =>
  items
    .map((item) => {
      const { role, parts } = turnOf(item);
      const words = parts.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
      return `${typeOf(item).endsWith('_output') ? 'tool' : typeOf(item) === 'message' ? textOf(item.role) : role}: ${words}`;
    })
    .join('\n\n');
