import { isObject, type Json, type Part, type TextPart, type ToolResultPart } from '../conversation.ts';
import { invalid, optionalBoolean, optionalString, readObject, readString, requiredString } from '../read.ts';

const cache = (block: Json): { cacheControl?: unknown } =>
  block.cache_control == null ? {} : { cacheControl: block.cache_control };

/** A string, or blocks. */
export function readBlocks(value: unknown, param: string): Part[] {
  if (typeof value === 'string') return value === '' ? [] : [{ type: 'text', text: value }];
  if (!Array.isArray(value)) throw invalid(param, `'${param}' must be a string or an array of content blocks.`);
  return value.flatMap((item, i) => {
    const block = readObject(item, `${param}[${i}]`);
    return [...readContext(block, `${param}[${i}]`), readBlock(block, `${param}[${i}]`)];
  });
}

/** A document's context, given to the model besides its title. */
function readContext(block: Json, param: string): TextPart[] {
  const text = block.type === 'document' ? optionalString(block, 'context', param) : undefined;
  return text ? [{ type: 'text', text }] : [];
}

/** `system` as string or blocks. */
export function readSystem(value: unknown): TextPart[] {
  if (value === undefined || value === null) return [];
  return readBlocks(value, 'system').map((part) => {
    if (part.type !== 'text') throw invalid('system', `'system' may contain only text blocks.`);
    return part;
  });
}

function readBlock(block: Json, param: string): Part {
  switch (requiredString(block, 'type', param)) {
    case 'text':
      return {
        type: 'text',
        text: readString(block.text, `${param}.text`),
        ...(block.citations != null && { citations: block.citations }),
        ...cache(block),
      };
    case 'image':
      return { type: 'image', source: readImageSource(block.source, `${param}.source`), ...cache(block) };
    case 'document':
      return readDocument(block, param);
    // Replaces everything before it.
    case 'compaction':
      return typeof block.content === 'string' && block.content !== ''
        ? { type: 'text', text: block.content, ...cache(block) }
        : { type: 'raw', format: 'messages', value: block };
    case 'search_result':
      return readSearchResult(block);
    case 'tool_use':
      return {
        type: 'tool_call',
        id: requiredString(block, 'id', param),
        name: requiredString(block, 'name', param),
        arguments: JSON.stringify(block.input ?? {}),
        ...cache(block),
      };
    case 'tool_result':
      return readToolResult(block, param);
    case 'thinking':
      return {
        type: 'thinking',
        text: readString(block.thinking, `${param}.thinking`),
        ...(typeof block.signature === 'string' && { signature: block.signature }),
      };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: readString(block.data, `${param}.data`) };
    default:
      return { type: 'raw', format: 'messages', value: block };
  }
}

function readToolResult(block: Json, param: string): ToolResultPart {
  const content = block.content == null ? [] : readBlocks(block.content, `${param}.content`);
  return {
    type: 'tool_result',
    callId: requiredString(block, 'tool_use_id', param),
    content: content.map(readResultPart),
    ...(optionalBoolean(block, 'is_error', param) && { isError: true }),
    ...cache(block),
  };
}

function readResultPart(part: Part): ToolResultPart['content'][number] {
  if (part.type === 'file' && 'text' in part.source) {
    const { name, source, cacheControl } = part;
    const text = name === undefined ? source.text : `${name}\n${source.text}`;
    return { type: 'text', text, ...(cacheControl !== undefined && { cacheControl }) };
  }
  if (part.type === 'text' || part.type === 'image' || part.type === 'file') return part;
  // The rest has no counterpart; another model can still read its JSON.
  return { type: 'text', text: JSON.stringify(part.type === 'raw' ? part.value : part) };
}

type Source = Extract<Part, { type: 'image' }>['source'];

function readImageSource(value: unknown, param: string): Source {
  const source = readObject(value, param);
  switch (requiredString(source, 'type', param)) {
    case 'base64':
      return { mediaType: requiredString(source, 'media_type', param), data: requiredString(source, 'data', param) };
    case 'url':
      return { url: requiredString(source, 'url', param) };
    case 'file':
      return { fileId: requiredString(source, 'file_id', param) };
    default:
      throw invalid(`${param}.type`, `'${param}.type' must be base64, url or file.`);
  }
}

function readDocument(block: Json, param: string): Part {
  const source = readObject(block.source, `${param}.source`);
  const name = optionalString(block, 'title', param);
  const rest = { ...(name !== undefined && { name }), ...cache(block) };
  if (source.type === 'text') {
    return { type: 'file', source: { text: requiredString(source, 'data', `${param}.source`) }, ...rest };
  }
  if (source.type === 'content') {
    const text = textOf(source.content);
    return text === undefined
      ? { type: 'raw', format: 'messages', value: block }
      : { type: 'file', source: { text }, ...rest };
  }
  return { type: 'file', source: readImageSource(source, `${param}.source`), ...rest };
}

/** A passage with its source, as text that any model can read. */
function readSearchResult(block: Json): Part {
  const text = textOf(block.content);
  if (text === undefined) return { type: 'raw', format: 'messages', value: block };
  const origin = [block.title, block.source].filter((one) => typeof one === 'string' && one !== '').join('\n');
  return { type: 'file', source: { text: origin === '' ? text : `${origin}\n\n${text}` }, ...cache(block) };
}

/** Content that is text only; otherwise undefined. */
function textOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.map((block) => (isObject(block) && block.type === 'text' ? block.text : undefined));
  return texts.every((text) => typeof text === 'string') ? texts.join('\n\n') : undefined;
}
