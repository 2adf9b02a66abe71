import { type Conversation, isObject, type Json, type Part, type ToolResultPart } from '../../wire/conversation.ts';
import { parseInput } from '../../wire/messages/answer.ts';
import { unmarkGemini } from '../../wire/signature.ts';

/** Accepted by Gemini 3 in place of a signature for calls that another vendor made; without it they are refused. */
const foreignCallSignature = 'skip_thought_signature_validator';

const audioTypes: Record<string, string> = {
  mp3: 'audio/mp3',
  wav: 'audio/wav',
  flac: 'audio/flac',
  opus: 'audio/ogg',
};

const imageTypes: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  heic: 'image/heic',
  pdf: 'application/pdf',
};

/** The turns as `contents`; neighbours of one role become one. */
export function buildContents(conversation: Conversation, modelName: string): Json[] {
  const names = callNames(conversation);
  const contents: { role: string; parts: Json[] }[] = [];
  for (const turn of conversation.turns) {
    const role = turn.role === 'assistant' ? 'model' : 'user';
    const parts =
      role === 'model' ? modelParts(turn.parts, modelName) : turn.parts.flatMap((part) => userPart(part, names));
    if (parts.length === 0) continue;
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else contents.push({ role, parts });
  }
  return contents;
}

/** Results are matched by name here; other formats give the id alone. */
function callNames(conversation: Conversation): Map<string, string> {
  const names = new Map<string, string>();
  for (const turn of conversation.turns) {
    for (const part of turn.parts) if (part.type === 'tool_call') names.set(part.id, part.name);
  }
  return names;
}

function modelParts(parts: Part[], modelName: string): Json[] {
  const out: Json[] = [];
  let pending: string | undefined;
  let calls = 0;
  for (const part of parts) {
    if (part.type === 'thinking') {
      // Only a signature of Gemini's own comes back, on the part it was given with.
      pending = unmarkGemini(part.signature) ?? pending;
    } else if (part.type === 'text' && part.text !== '') {
      out.push({ text: part.text, ...(pending !== undefined && { thoughtSignature: pending }) });
      pending = undefined;
    } else if (part.type === 'tool_call') {
      const foreign = calls === 0 && /gemini-([3-9]|\d\d)/.test(modelName) ? foreignCallSignature : undefined;
      const thoughtSignature = part.signature ?? pending ?? foreign;
      out.push({
        functionCall: { name: part.name, args: parseInput(part.arguments) },
        ...(thoughtSignature !== undefined && { thoughtSignature }),
      });
      pending = undefined;
      calls += 1;
    } else if (part.type === 'image') out.push(...userPart(part, new Map()));
  }
  return out;
}

function userPart(part: Part, names: Map<string, string>): Json[] {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ text: part.text }];
    case 'image':
      return mediaPart(part.source, 'image/jpeg');
    case 'file':
      return 'text' in part.source ? [{ text: part.source.text }] : mediaPart(part.source, 'application/pdf');
    case 'audio':
      return [{ inlineData: { mimeType: audioTypes[part.format] ?? `audio/${part.format}`, data: part.data } }];
    case 'tool_result':
      return [
        resultPart(part, names),
        ...part.content.filter((item) => item.type !== 'text').flatMap((item) => userPart(item, names)),
      ];
    default:
      return [];
  }
}

type Source = Extract<Part, { type: 'image' }>['source'];

/** Addresses travel as `fileData`, which the vendor fetches itself. */
function mediaPart(source: Source, fallbackType: string): Json[] {
  if ('data' in source) return [{ inlineData: { mimeType: source.mediaType, data: source.data } }];
  if ('fileId' in source) return [{ fileData: { fileUri: source.fileId } }];
  const extension = /\.(\w+)(?:[?#]|$)/.exec(source.url)?.[1]?.toLowerCase() ?? '';
  return [{ fileData: { mimeType: imageTypes[extension] ?? fallbackType, fileUri: source.url } }];
}

function resultPart(part: ToolResultPart, names: Map<string, string>): Json {
  const text = part.content.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n');
  const name = part.name ?? names.get(part.callId) ?? part.callId;
  return { functionResponse: { name, response: part.isError ? { error: text } : asObject(text) } };
}

/** The response must be an object. */
function asObject(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : { result: value };
  } catch {
    return { result: text };
  }
}
