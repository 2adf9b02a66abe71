import { objectsIn } from '../../../lib/is-object.ts';
import { table } from '../../../lib/table.ts';
import type { Json, Part } from '../../wire/conversation.ts';
import { shortId } from '../../wire/short-id.ts';
import { documentFormat } from '../kind/document-formats.ts';
import { placeholderText } from '../kind/placeholder-text.ts';
import type { AcceptsPart } from '../kind/unsupported-parts.ts';
import { objectOf, textOf } from './fields.ts';

const imageFormats = table<string>({
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/jpg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
});

/** Converse fetches nothing: images and files are sent as data, in the formats it names. */
export const isCarried: AcceptsPart = (part: Part) => {
  switch (part.type) {
    case 'image':
      return 'data' in part.source && part.source.mediaType in imageFormats;
    case 'file':
      return 'text' in part.source || ('data' in part.source && documentFormat(part.source.mediaType) !== undefined);
    case 'audio':
    case 'raw':
      return false;
    default:
      return true;
  }
};

/** Only these models accept cache markers, and images and documents in tool results. */
const nova = /amazon\.nova/;

/** Converts blocks of our Messages body; one writer per request, as document names must be unique. */
export function blockWriter(modelName: string) {
  const names = new Set<string>();
  const isNova = nova.test(modelName);

  function write(block: Json): Json[] {
    switch (block.type) {
      case 'text':
        // Blank text is refused.
        return textOf(block.text).trim() === '' ? [] : [{ text: block.text }];
      case 'image':
        return [{ image: imageOf(objectOf(block.source)) }];
      case 'document':
        return [{ document: documentOf(block, names) }];
      case 'tool_use':
        return [{ toolUse: { toolUseId: callId(block.id), name: block.name, input: block.input } }];
      case 'tool_result':
        return [{ toolResult: resultOf(block) }];
      case 'thinking':
        return [{ reasoningContent: { reasoningText: { text: block.thinking, signature: block.signature } } }];
      case 'redacted_thinking':
        return [{ reasoningContent: { redactedContent: block.data } }];
      default:
        return [];
    }
  }

  function resultOf(block: Json): Json {
    const parts = objectsIn(block.content);
    return {
      toolUseId: callId(block.tool_use_id),
      content: notEmpty((isNova ? parts : parts.filter(isWords)).flatMap(write)),
      ...(block.is_error === true && { status: 'error' }),
    };
  }

  /** Placed after all results of a turn, if they cannot be part of them. */
  const besides = (blocks: readonly Json[]): Json[] =>
    isNova
      ? []
      : blocks
          .filter(({ type }) => type === 'tool_result')
          .flatMap(({ content }) => objectsIn(content).filter((part) => !isWords(part)))
          .flatMap(write);

  /** A cache marker is a separate block, and cannot be nested. */
  function marked(block: Json): Json[] {
    const written = write(block);
    return isNova && block.cache_control != null && written.length > 0
      ? [...written, { cachePoint: { type: 'default' } }]
      : written;
  }

  const content = (blocks: readonly Json[]): Json[] =>
    withWords(notEmpty([...blocks.flatMap(marked), ...besides(blocks)]));
  return { content, system: marked };
}

const isWords = ({ type }: Json): boolean => type === 'text';

const notEmpty = (blocks: Json[]): Json[] => (blocks.length > 0 ? blocks : [{ text: placeholderText }]);

/** A document requires accompanying text. */
const withWords = (blocks: Json[]): Json[] =>
  blocks.some(({ document }) => document) && !blocks.some(({ text }) => text)
    ? [...blocks, { text: placeholderText }]
    : blocks;

const imageOf = (source: Json): Json => ({
  format: imageFormats[textOf(source.media_type)],
  source: { bytes: source.data },
});

function documentOf({ source, title }: Json, names: Set<string>): Json {
  const { type, media_type, data } = objectOf(source);
  const bytes = type === 'text' ? Buffer.from(textOf(data)).toString('base64') : data;
  return { format: documentFormat(textOf(media_type)), name: nameOf(textOf(title), names), source: { bytes } };
}

/** Names may contain only letters, digits, single spaces, hyphens and brackets. */
function nameOf(title: string, names: Set<string>): string {
  const plain =
    title
      .replace(/[^a-zA-Z0-9()[\]-]+/g, ' ')
      .trim()
      .slice(0, 180) || 'document';
  let name = plain;
  for (let count = 2; names.has(name); count += 1) name = `${plain} (${count})`;
  names.add(name);
  return name;
}

const mostIdChars = 64;

const callId = (id: unknown): string => shortId(textOf(id), mostIdChars);
