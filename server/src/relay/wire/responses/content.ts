import { readFileData, readPicture } from '../chat/content.ts';
import type { Json, Part, RawPart, TextPart, ToolResultPart } from '../conversation.ts';
import { invalid, missing, optionalString, readObject, readString, requiredString } from '../read.ts';

/** A string, or parts. */
export function readContent(value: unknown, param: string): Part[] {
  if (value === undefined || value === null) throw missing(param);
  if (typeof value === 'string') return value === '' ? [] : [{ type: 'text', text: value }];
  if (!Array.isArray(value)) throw invalid(param, `'${param}' must be a string or an array of parts.`);
  return value.map((item, i) => readPart(readObject(item, `${param}[${i}]`), `${param}[${i}]`));
}

/** Of system and developer messages. */
export const readTexts = (value: unknown, param: string): TextPart[] =>
  readContent(value, param).map((part) => {
    if (part.type !== 'text') throw invalid(param, `'${param}' may contain only text parts.`);
    return part;
  });

/** A tool's output. */
export const readOutput = (value: unknown, param: string): ToolResultPart['content'] =>
  readContent(value, param).map((part) => {
    if (part.type === 'text' || part.type === 'image' || part.type === 'file') return part;
    if (part.type === 'raw' && part.value.file_id != null) throw notKept(param);
    throw invalid(param, `'${param}' may contain only text, image and file parts.`);
  });

/** File ids, and types newer than this service, are known to their own vendor only. */
const foreign = (value: Json): RawPart => ({ type: 'raw', format: 'responses', value });

const notKept = (param: string) =>
  invalid(param, `'${param}' refers by 'file_id' to a file that is not stored here; send its data or URL instead.`);

const cache = (part: Json): { cacheControl?: unknown } =>
  part.prompt_cache_breakpoint == null ? {} : { cacheControl: { type: 'ephemeral' } };

function readPart(part: Json, param: string): Part {
  switch (requiredString(part, 'type', param)) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { type: 'text', text: readString(part.text, `${param}.text`), ...cache(part) };
    case 'refusal':
      return { type: 'text', text: readString(part.refusal, `${param}.refusal`), refusal: true };
    case 'input_image':
      return readImage(part, param);
    case 'input_file':
      return readFile(part, param);
    case 'input_audio': {
      const at = `${param}.input_audio`;
      const audio = readObject(part.input_audio, at);
      return { type: 'audio', data: requiredString(audio, 'data', at), format: requiredString(audio, 'format', at) };
    }
    default:
      return foreign(part);
  }
}

function readImage(part: Json, param: string): Part {
  if (part.image_url == null && part.file_id != null) return foreign(part);
  const detail = optionalString(part, 'detail', param);
  return {
    type: 'image',
    source: readPicture(requiredString(part, 'image_url', param), `${param}.image_url`),
    ...(detail !== undefined && { detail }),
    ...cache(part),
  };
}

function readFile(part: Json, param: string): Part {
  const name = optionalString(part, 'filename', param);
  const rest = { ...(name !== undefined && { name }), ...cache(part) };
  if (part.file_data != null)
    return { type: 'file', source: readFileData(requiredString(part, 'file_data', param)), ...rest };
  if (part.file_url != null) return { type: 'file', source: { url: readAddress(part, param) }, ...rest };
  if (part.file_id != null) return foreign(part);
  throw missing(`${param}.file_data`);
}

function readAddress(part: Json, param: string): string {
  const url = requiredString(part, 'file_url', param);
  if (/^https?:\/\//i.test(url)) return url;
  throw invalid(`${param}.file_url`, `'${param}.file_url' must be an http(s) address.`);
}
