import type { CallToolResult } from '@modelcontextprotocol/client';
import type { ToolOutcome } from '../lib/connected-tools.ts';

/** Limit on the text forwarded to a model: more would only fill its context. */
export const mostTextBytes = 64 * 1024;

type Block = CallToolResult['content'][number];

/** A tool's result as text. Images and audio are only named, because their content cannot be put into text. */
export function outcomeOf({ content, structuredContent, isError }: CallToolResult): ToolOutcome {
  const parts = content.map(partOf);
  if (parts.length === 0 && structuredContent !== undefined) parts.push({ text: JSON.stringify(structuredContent) });
  const { text, cut } = cutText(parts.map((part) => part.text).join('\n'));
  return { text, isError: isError === true, cut: cut || parts.some((part) => part.left) };
}

interface Part {
  text: string;
  /** Part of the content was left out. */
  left?: boolean;
}

function partOf(block: Block): Part {
  switch (block.type) {
    case 'text':
      return { text: block.text };
    case 'image':
    case 'audio':
      return { text: `[${block.type}, ${block.mimeType}: not passed on]`, left: true };
    case 'resource_link':
      return { text: `[${block.name}: ${block.uri}]` };
    case 'resource':
      if ('text' in block.resource) return { text: block.resource.text };
      return { text: `[${block.resource.uri}: not text, not passed on]`, left: true };
    default:
      return { text: '[content that is not text: not passed on]', left: true };
  }
}

/** Cuts between characters and appends a note; both fit within the limit. */
function cutText(text: string): { text: string; cut: boolean } {
  const bytes = Buffer.byteLength(text);
  if (bytes <= mostTextBytes) return { text, cut: false };
  const note = `\n[cut: the tool answered with ${bytes} bytes of text]`;
  const room = Buffer.from(text).subarray(0, mostTextBytes - Buffer.byteLength(note));
  // In stream mode the decoder drops an incomplete character at the end.
  return { text: new TextDecoder().decode(room, { stream: true }) + note, cut: true };
}
