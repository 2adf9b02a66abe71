import type { Conversation, FilePart, ImagePart, Part, TextPart } from '../../wire/conversation.ts';
import { unsupported } from '../../wire/read.ts';
import { contentParam } from '../kind/unsupported-parts.ts';

/** Text under other names than `text/…`. */
const textual =
  /^(text\/|application\/([\w.-]+\+)?(json|xml|yaml|x-yaml|toml|javascript|typescript|sql|x-sh|x-ndjson|jsonl)$)/;
const pdf = 'application/pdf';

/** As data, Anthropic accepts PDF files only: text becomes a plain document, and pictures are pictures. */
export function readableFiles(conversation: Conversation): Conversation {
  if (!conversation.turns.some(({ parts }) => parts.some(isOther))) return conversation;
  const param = contentParam(conversation);
  const readable = (part: Part): Part => {
    if (part.type === 'tool_result') return { ...part, content: part.content.map((item) => readableFile(item, param)) };
    return part.type === 'file' ? readableFile(part, param) : part;
  };
  const turns = conversation.turns.map((turn) => ({ ...turn, parts: turn.parts.map(readable) }));
  return { ...conversation, turns };
}

const isOther = (part: Part): boolean =>
  part.type === 'tool_result' ? part.content.some(isOther) : dataOf(part) !== undefined;

function dataOf(part: Part): { mediaType: string; data: string } | undefined {
  if (part.type !== 'file' || !('data' in part.source)) return undefined;
  const mediaType = part.source.mediaType.split(';')[0]!.trim().toLowerCase();
  return mediaType === pdf ? undefined : { mediaType, data: part.source.data };
}

type Content = TextPart | ImagePart | FilePart;

function readableFile(part: Content, param: string): Content {
  const held = dataOf(part);
  if (part.type !== 'file' || !held) return part;
  const { mediaType, data } = held;
  if (textual.test(mediaType)) return { ...part, source: { text: Buffer.from(data, 'base64').toString('utf8') } };
  const { name: _, ...unnamed } = part;
  if (mediaType.startsWith('image/')) return { ...unnamed, type: 'image', source: { mediaType, data } };
  throw unsupported(
    param,
    `Files of type '${mediaType.slice(0, 100)}' are not supported by this model: send PDF or text.`,
  );
}
