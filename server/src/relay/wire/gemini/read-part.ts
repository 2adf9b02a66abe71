import { table } from '../../../lib/table.ts';
import { isObject, type Json, type Part } from '../conversation.ts';
import { markGemini } from '../signature.ts';
import { openThoughts } from './sealed-thoughts.ts';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Metadata of a part; any other member is its content. */
const aboutPart = new Set([
  'text',
  'thought',
  'thoughtSignature',
  'videoMetadata',
  'partMetadata',
  'mediaResolution',
  'mediaProcessing',
  'speechMetadata',
]);

/** The kind of non-text content of a part. */
export const kindOfPart = (part: Json): string | undefined => Object.keys(part).find((key) => !aboutPart.has(key));

/**
 * Parses one part of a `content`, in requests and answers; `idOf` assigns call ids for other formats. Function results
 * are handled by the request parser, which knows the calls.
 */
export function readGeminiPart(part: Json, idOf: (call: Json) => string): Part[] {
  const signature = text(part.thoughtSignature);
  const foreign = openThoughts(signature);
  const own = signature === '' || foreign ? undefined : signature;
  if (isObject(part.functionCall)) {
    const { name, args } = part.functionCall;
    const signed = own === undefined ? {} : { signature: own };
    const id = idOf(part.functionCall);
    const call: Part = { type: 'tool_call', id, name: text(name), arguments: JSON.stringify(args ?? {}), ...signed };
    return [...(foreign ?? []), call];
  }
  // A signature outside a call belongs to the thought before the next part.
  const mark: Part[] =
    foreign ?? (own === undefined ? [] : [{ type: 'thinking', text: '', signature: markGemini(own) }]);
  if (part.thought === true) return [{ type: 'thinking', text: text(part.text) }, ...mark];
  const kind = kindOfPart(part);
  if (kind !== undefined) return [...mark, contentOf(kind, part)];
  return text(part.text) === '' ? mark : [...mark, { type: 'text', text: text(part.text) }];
}

function contentOf(kind: string, part: Json): Part {
  const value = part[kind];
  const read = isObject(value) ? readers[kind]?.(value) : undefined;
  return read ?? { type: 'raw', format: 'gemini', value: part };
}

/** Content that other vendors support. */
const readers = table<(value: Json) => Part | undefined>({
  inlineData: readBlob,
  fileData: readAddress,
  // Code written and run by a model is shown to other models as text.
  executableCode: ({ language, code }) => ({
    type: 'text',
    text: `\`\`\`${text(language).toLowerCase()}\n${text(code)}\n\`\`\``,
  }),
  codeExecutionResult: ({ output }) => ({ type: 'text', text: `\`\`\`\n${text(output)}\n\`\`\`` }),
});

const soundFormats = new Map([
  ['mpeg', 'mp3'],
  ['x-wav', 'wav'],
  ['wave', 'wav'],
  ['vnd.wave', 'wav'],
  ['ogg', 'opus'],
  ['x-flac', 'flac'],
]);

function readBlob({ mimeType, data: given, displayName }: Json): Part | undefined {
  const mediaType = text(mimeType).split(';')[0]!.trim().toLowerCase();
  const [type, subtype = ''] = mediaType.split('/');
  const data = usualBase64(text(given));
  switch (type) {
    case 'image':
      return { type: 'image', source: { mediaType, data } };
    case 'audio':
      return { type: 'audio', data, format: soundFormats.get(subtype) ?? subtype };
    case 'text':
      return { type: 'file', source: { text: Buffer.from(data, 'base64').toString('utf8') }, ...named(displayName) };
    case 'application':
      return { type: 'file', source: { mediaType, data }, ...named(displayName) };
    default:
      return undefined;
  }
}

const named = (name: unknown): { name?: string } => (typeof name === 'string' && name !== '' ? { name } : {});

/** Google accepts base64url too, which its Python client sends; others do not. */
const usualBase64 = (data: string): string =>
  /[-_]/.test(data) ? data.replaceAll('-', '+').replaceAll('_', '/') : data;

const pictures = /^[^?#]*\.(png|jpe?g|webp|gif|heic)([?#]|$)/i;

/** Google's own files and videos are for its models only. */
function readAddress({ mimeType, fileUri, displayName }: Json): Part | undefined {
  const url = text(fileUri);
  if (!/^https?:\/\//i.test(url) || /^https?:\/\/generativelanguage\.googleapis\.com\//i.test(url)) return undefined;
  const type = text(mimeType).toLowerCase();
  if (type.startsWith('image/') || (type === '' && pictures.test(url))) return { type: 'image', source: { url } };
  return type === 'application/pdf' ? { type: 'file', source: { url }, ...named(displayName) } : undefined;
}
