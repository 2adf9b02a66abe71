import { type Conversation, isObject, type Json, type Part, type ToolResultPart } from '../../wire/conversation.ts';
import { writeMedia } from '../../wire/gemini/media.ts';
import { PartWriter } from '../../wire/gemini/part-writer.ts';
import { wordless } from '../kind/wordless.ts';

/** Accepted by Gemini 3 in place of a signature for calls that another vendor made; without it they are refused. */
const foreignCallSignature = 'skip_thought_signature_validator';

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
  // A conversation may begin with the assistant in other formats, or hold instructions alone; here the user speaks first.
  if (contents[0]?.role !== 'user') contents.unshift({ role: 'user', parts: [{ text: wordless }] });
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

/** In place of a signature, where a model wants one of every turn's first call. */
export const unsignedCall = (modelName: string): string | undefined =>
  /gemini-([3-9]|\d\d)/.test(modelName) ? foreignCallSignature : undefined;

function modelParts(parts: Part[], modelName: string): Json[] {
  const writer = new PartWriter({ unsigned: unsignedCall(modelName) });
  return parts.flatMap((part) => writer.write(part) ?? (part.type === 'image' ? writeMedia(part) : null) ?? []);
}

function userPart(part: Part, names: Map<string, string>): Json[] {
  if (part.type === 'text') return part.text === '' ? [] : [{ text: part.text }];
  if (part.type !== 'tool_result') return writeMedia(part) ?? [];
  return [
    resultPart(part, names),
    ...part.content.filter((item) => item.type !== 'text').flatMap((item) => writeMedia(item) ?? []),
  ];
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
