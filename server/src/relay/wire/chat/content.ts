import { imageType } from '../../../lib/image-type.ts';
import type { FilePart, ImagePart, Json, Part, TextPart, ToolResultPart } from '../conversation.ts';
import { parseDataUrl } from '../data-url.ts';
import { invalid, optionalString, readArray, readObject, readString, requiredString } from '../read.ts';
import { readReasoningDetails, withSignatures } from './reasoning.ts';

/** Content of a user or assistant message: absent, null, a string or parts. */
export function readContent(value: unknown, param: string): Part[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') return value === '' ? [] : [{ type: 'text', text: value }];
  if (!Array.isArray(value)) throw invalid(param, `'${param}' must be a string or an array of parts.`);
  return readParts(value, param);
}

const readParts = (items: unknown[], param: string): Part[] => items.map((item, i) => readPart(item, `${param}[${i}]`));

/** Content that can only be text: system messages. */
export function readTexts(value: unknown, param: string, texts: TextPart[]): void {
  for (const part of readContent(value, param)) {
    if (part.type !== 'text') throw invalid(param, `'${param}' may contain only text parts.`);
    texts.push(part);
  }
}

export function readResultContent(value: unknown, param: string): ToolResultPart['content'] {
  return readContent(value, param).map((part) => {
    if (part.type !== 'text' && part.type !== 'image' && part.type !== 'file') {
      throw invalid(param, `'${param}' may contain only text, image and file parts.`);
    }
    return part;
  });
}

/** OpenAI's cache marker, and Anthropic's, which gateways accept in this format too. */
const cacheOf = ({ cache_control: mark, prompt_cache_breakpoint: end }: Json): { cacheControl?: unknown } =>
  mark === undefined && end == null ? {} : { cacheControl: mark ?? { type: 'ephemeral' } };

function readPart(value: unknown, param: string): Part {
  const part = readObject(value, param);
  switch (requiredString(part, 'type', param)) {
    case 'text':
      return {
        type: 'text',
        text: readString(part.text, `${param}.text`),
        ...cacheOf(part),
      };
    case 'refusal':
      return { type: 'text', text: readString(part.refusal, `${param}.refusal`) };
    case 'image_url':
      return { ...readImage(part.image_url, `${param}.image_url`), ...cacheOf(part) };
    case 'file':
      return { ...readFile(part.file, `${param}.file`), ...cacheOf(part) };
    case 'input_audio': {
      const audio = readObject(part.input_audio, `${param}.input_audio`);
      return {
        type: 'audio',
        data: requiredString(audio, 'data', `${param}.input_audio`),
        format: requiredString(audio, 'format', `${param}.input_audio`),
      };
    }
    default:
      return { type: 'raw', format: 'chat', value: part };
  }
}

function readImage(value: unknown, param: string): ImagePart {
  // Some clients send the URL itself where the format has an object.
  const image = typeof value === 'string' ? { url: value } : readObject(value, param);
  const source = readPicture(requiredString(image, 'url', param), `${param}.url`);
  const detail = optionalString(image, 'detail', param);
  return { type: 'image', source, ...(detail !== undefined && { detail }) };
}

/** By its first bytes: OpenAI takes any label, such as `image/jpg`, but others refuse one that is not true. */
function typeOf({ mediaType, data }: { mediaType: string; data: string }): string {
  const { type, extension } = imageType(Buffer.from(data.slice(0, 24), 'base64'));
  return extension === 'bin' ? mediaType : type;
}

/** An image by URL, which may be a data URL. */
export function readPicture(url: string, param: string): ImagePart['source'] {
  const data = parseDataUrl(url);
  if (data === undefined && !/^https?:\/\//i.test(url))
    throw invalid(param, `'${param}' must be a base64 data URL or an http(s) URL.`);
  return data ? { mediaType: typeOf(data), data: data.data } : { url };
}

function readFile(value: unknown, param: string): FilePart {
  const file = readObject(value, param);
  const name = optionalString(file, 'filename', param);
  const named = name === undefined ? {} : { name };
  const fileId = optionalString(file, 'file_id', param);
  if (fileId !== undefined) return { type: 'file', source: { fileId }, ...named };
  return { type: 'file', source: readFileData(requiredString(file, 'file_data', param)), ...named };
}

/** A data URL, a URL, or bare base64, which is taken for a PDF. */
export function readFileData(given: string): FilePart['source'] {
  const data = parseDataUrl(given);
  if (data !== undefined) return data;
  return /^https?:\/\//i.test(given) ? { url: given } : { mediaType: 'application/pdf', data: given };
}

/**
 * An assistant message with the reasoning that clients return in the fields gateways use for it; unsigned
 * `reasoning_content` is dropped.
 */
export function withThinking(message: Json, param: string, said: Part[]): Part[] {
  const details = message.reasoning_details ?? message.thinking_blocks;
  if (details === undefined || details === null) return said;
  const field = `${param}.${message.reasoning_details ? 'reasoning_details' : 'thinking_blocks'}`;
  const { thoughts, signatures } = readReasoningDetails(
    readArray(details, field).map((item, i) => readObject(item, `${field}[${i}]`)),
  );
  return withSignatures(thoughts, signatures, said);
}
